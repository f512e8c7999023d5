import { existsSync } from "node:fs";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

let server: TestServer;
let drs: Drs;
beforeAll(async () => {
  server = await startServer();
  drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
});
afterAll(() => server.remove());

const secondDays = 1 / 86_400;

test("a dataset that has expired is gone from every answer, and then from the disk", async () => {
  const pdf = makePdf({ pages: [{ text: "short-lived lighthouse" }] });
  const days = { fileName: "short.pdf", vectorize: true, expiresInDays: 6 * secondDays };
  const { id, datasetId } = await drs.datasets.upload(new Blob([pdf]), days);
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  const { share } = await drs.datasets.get(datasetId, { expiresInSeconds: 600 });
  const original = join(server.dataDir, "blobs", "originals", datasetId);
  expect(existsSync(original)).toBe(true);

  await vi.waitFor(() => expect(existsSync(original)).toBe(false), { timeout: 30_000, interval: 100 });
  await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ code: "not_found" });
  expect(await Array.fromAsync(drs.datasets.list())).toEqual([]);
  expect(await drs.search("short-lived lighthouse")).toEqual([]);
  expect((await fetch(share.url)).status).not.toBe(200);
  expect(await drs.jobs.get(id)).toMatchObject({ status: "SUCCESS", datasetId });
  expect((await drs.audit.page({ action: "dataset.delete" })).data[0]).toMatchObject({
    actor: "service",
    target: datasetId,
  });
}, 60_000);
