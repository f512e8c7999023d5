import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import type { VectorStore } from "../../../server/domain/ports/vectors.ts";
import { openLanceVectors } from "../../../server/storage/vectors/open.ts";
import { datasetAt, dense, lexical, rowsAt, workspaceId } from "./index/index-rows.ts";
import { cutPower, sizesIn } from "./cut.ts";
import { type Recording, startRecording, whyNot } from "./recorder.ts";

const child = fileURLToPath(new URL("./index/put-and-maintain.ts", import.meta.url));
const reason = whyNot();
/** 200 take some minutes. */
const cuts = Number(process.env["DRS_TEST_POWER_CUTS"] ?? 24);
const datasetsPerRun = 5;

interface Run {
  readonly said: readonly string[];
  readonly wasCut: boolean;
}

/** Runs the child in a group of its own until it ends or the power is cut. */
async function run(recording: Recording, first: number, cutAt: number): Promise<Run> {
  const process_ = spawn(process.execPath, [child, recording.root, String(first), String(datasetsPerRun)], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...recording.environment(cutAt) },
  });
  const exited = once(process_, "exit");
  const output = await text(process_.stdout);
  const [code, signal]: unknown[] = await exited;
  expect({ code, signal }).toEqual(signal === null ? { code: 0, signal: null } : { code: null, signal: "SIGKILL" });
  return { said: output.split("\n").filter((line) => line !== ""), wasCut: signal !== null };
}

/** What is wrong in the store, given what was answered. */
async function faults(store: VectorStore, present: ReadonlySet<number>, gone: ReadonlySet<number>): Promise<string[]> {
  const found: string[] = [];
  const scope = { workspaceId, datasetIds: undefined, limit: 10 };
  for (const at of present) {
    for (const { page, vectors, word } of rowsAt(at)) {
      const [vector] = await store.vectorsOf(dense, datasetAt(at), page, "a1");
      const expected = new Float32Array(new Float16Array(vectors[0] ?? []));
      if (String(vector) !== String(expected)) found.push(`vectors of ${at}/${page}`);
      const hits = await store.searchLexical(lexical, word, scope);
      if (hits[0]?.datasetId !== datasetAt(at) || hits[0].page !== page) found.push(`words of ${at}/${page}`);
    }
  }
  for (const at of gone) {
    for await (const { page } of store.rowsOf(dense, datasetAt(at))) found.push(`${at}/${page} is back`);
  }
  const query = Float32Array.from({ length: 16 }, (_, at) => Math.cos(at));
  if (present.size > 0 && (await store.searchDense(dense, query, scope)).length === 0) found.push("nothing is found");
  return found;
}

describe.skipIf(reason !== undefined)(`the index after power cuts${reason === undefined ? "" : ` (${reason})`}`, () => {
  it(`${cuts} of them: has all that was answered, nothing that was removed, and goes on`, async () => {
    const seed = Number(process.env["DRS_TEST_SEED"] ?? 1);
    const random = createRandom(seed);
    const recording = startRecording();
    onTestFinished(recording.remove);
    const [present, gone] = [new Set<number>(), new Set<number>()];
    let first = 0;
    let cutBefore = 0;
    // As many changes as a run makes that is not cut.
    let most = 1_000;
    for (let cut = 0; cut < cuts; cut++) {
      recording.settle();
      const before = sizesIn(recording.root);
      const { said, wasCut } = await run(recording, first, 1 + Math.floor(random() * most));
      if (!wasCut) most = recording.changes();
      cutBefore += wasCut ? 1 : 0;
      for (const line of said) {
        const [what, number] = line.split(" ");
        const at = Number(number);
        if (what === "put") present.add(at);
        // From here on it may be there or not.
        if (what === "removing") present.delete(at);
        if (what === "removed") gone.add(at);
      }
      if (wasCut) cutPower(recording, before, random);
      const store = await openLanceVectors({ url: recording.root, retentionMs: 50 });
      const when = { seed, cut };
      expect({ ...when, faults: await faults(store, present, gone) }).toEqual({ ...when, faults: [] });
      await store.maintain();
      expect({ ...when, faults: await faults(store, present, gone) }).toEqual({ ...when, faults: [] });
      // Nothing that was answered is lost, so what was mended is nothing to be made again.
      await store.settle(await store.damage());
      await store.close();
      first += datasetsPerRun;
      if (present.size > 40) for (const at of [...present].slice(0, 20)) present.delete(at);
    }
    expect(cutBefore).toBeGreaterThan(cuts / 2);
  }, 1_800_000);
});
