import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs } from "@drs/client";
import { expect, test } from "vitest";
import { readSettings } from "../../server/settings/settings.ts";
import { serve } from "../../server/serve.ts";
import { work } from "../../server/work.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { parseSamples } from "../service/samples.ts";

test("drs worker has the metrics of its host, and the queue that its server has", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-worker-metrics-"));
  const settings = readSettings({
    flags: { log: "error", dataDir, port: "0", healthPort: "0", workers: "1" },
    env: {},
  });
  const server = await serve(settings, { claimJobs: false });
  const worker = await work(settings);
  try {
    if (server.credentials === undefined) throw new Error("the server made no key");
    const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const { id } = await drs.datasets.upload(makePdf({ pages: [{ text: "one" }] }), { fileName: "one.pdf" });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    const value = async (text: string, name: string): Promise<number | undefined> =>
      parseSamples(text).find((sample) => sample.name === name)?.value;
    const ofWorker = async (name: string) => value(await (await fetch(`${worker.healthUrl}/metrics`)).text(), name);
    await expect.poll(() => ofWorker("drs_pages_total"), { timeout: 20_000 }).toBe(1);
    expect(await ofWorker("drs_worker_up")).toBe(1);
    expect(await ofWorker("drs_queue_workers")).toBe(0);
    expect(await ofWorker("process_resident_memory_bytes")).toBeGreaterThan(0);
    // The worker process of the server has read no page.
    const text = await (await fetch(`${server.url}/metrics`)).text();
    expect(await value(text, "drs_pages_total")).toBe(0);
  } finally {
    await worker.close();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 120_000);
