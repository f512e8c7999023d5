import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const long = makePdf({
  pages: Array.from({ length: 1_500 }, (_, index) => ({
    text: `Chapter ${index + 1} of a document that is long enough for somebody to change their mind before it is done`,
  })),
});

describe("cancel", () => {
  let server: TestServer;
  let drs: Drs;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  });
  afterAll(() => server.remove());

  async function atWork(id: string, stage: string): Promise<void> {
    await expect
      .poll(async () => (await drs.jobs.get(id)).progress?.stage, { timeout: 30_000, interval: 20 })
      .toBe(stage);
  }

  test("ends the job and removes the dataset that it was creating", async () => {
    const { id, datasetId } = await drs.datasets.upload(long, { fileName: "long.pdf", vectorize: true });
    await atWork(id, "embed");
    const job = await drs.jobs.cancel(id);
    expect(job).toMatchObject({
      status: "ERROR",
      statusText: "cancelled",
      canceledAt: expect.any(Number),
      finishedAt: expect.any(Number),
    });
    await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ code: "not_found" });
    await expect
      .poll(() => readdir(join(server.dataDir, "blobs", "originals")).catch(() => []), { timeout: 10_000 })
      .toEqual([]);
    expect(await drs.search("unstoppable chapter")).toEqual([]);
    expect(await drs.jobs.get(id)).toMatchObject({ status: "ERROR", statusText: "cancelled" });
  });

  test("of a vectorize keeps the extracted dataset, which can be vectorized again", async () => {
    const extract = await drs.datasets.upload(long.subarray(0), { fileName: "long.pdf" });
    expect(await drs.jobs.wait(extract.id)).toMatchObject({ status: "SUCCESS" });
    const first = await drs.datasets.vectorize(extract.datasetId);
    await atWork(first.id, "embed");
    await drs.jobs.cancel(first.id);
    expect(await drs.datasets.get(extract.datasetId)).toMatchObject({ itemCount: 1_500 });
    expect(await drs.search("unstoppable chapter", { datasetIds: [extract.datasetId] })).toEqual([]);
    const second = await drs.datasets.vectorize(extract.datasetId);
    expect(await drs.jobs.wait(second.id)).toMatchObject({ status: "SUCCESS" });
    expect(await drs.search("unstoppable chapter 77", { datasetIds: [extract.datasetId] })).not.toEqual([]);
  }, 120_000);
});
