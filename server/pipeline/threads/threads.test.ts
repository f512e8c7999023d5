import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { makePdf } from "../../../test/fixtures/pdf.ts";
import { createThreads } from "./threads.ts";

test("the heap of a thread's JavaScript is bounded by a setting, not by the machine's memory", async () => {
  const started: Worker[] = [];
  const note = (worker: Worker): void => void started.push(worker);
  process.on("worker", note);
  const folder = await mkdtemp(join(tmpdir(), "drs-threads-"));
  const file = join(folder, "page.pdf");
  await writeFile(file, makePdf({ pages: [{ text: "One page" }] }));
  const threads = createThreads(1, { maxEngineBytes: 100 * 2 ** 20, warm: false });
  const stop = new AbortController().signal;
  const answer = await threads.run({ kind: "count", file }, { signal: undefined, stop, pageTimeoutMs: 30_000 });
  process.off("worker", note);
  expect(answer).toEqual({ kind: "count", pages: 1 });
  const bounds = started.map(({ resourceLimits }) => resourceLimits);
  expect(bounds).toHaveLength(1);
  // V8's default is 192 MB on a machine with 24 GB.
  expect(bounds[0]?.maxYoungGenerationSizeMb).toBeLessThanOrEqual(32);
  expect(bounds[0]?.maxOldGenerationSizeMb).toBeLessThanOrEqual(512);
  await threads.close();
  await rm(folder, { recursive: true });
});
