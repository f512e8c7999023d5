import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const pageCount = 30;
const document = makePdf({
  pages: Array.from({ length: pageCount }, (_, index) => ({ text: `Page ${index + 1}\n`.repeat(40) })),
});

let server: TestServer;
afterEach(() => server.remove());

async function withDocument(
  flags: Parameters<typeof startServer>[0],
  vectorize = false,
): Promise<{ drs: Drs; datasetId: string }> {
  server = await startServer(flags);
  const drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  const { id, datasetId } = await drs.datasets.upload(document, { fileName: "pages.pdf", vectorize });
  expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
  return { drs, datasetId };
}

async function cached(datasetId: string): Promise<{ files: string[]; bytes: number }> {
  const folder = join(server.dataDir, "blobs", "renditions", datasetId);
  const files = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    files.map((file) =>
      stat(join(folder, file)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return { files, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

describe("renditions", () => {
  test("are made at the first request, once for concurrent ones, and kept", async () => {
    const { drs, datasetId } = await withDocument({});
    expect((await cached(datasetId)).files).toEqual([]);
    const [item] = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg", cols: ["7"] }));
    const url = item?.share.url ?? "";
    const responses = await Promise.all(Array.from({ length: 8 }, () => fetch(url)));
    const bodies = await Promise.all(
      responses.map(async (response) => Buffer.from(await response.arrayBuffer()).toString("base64")),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    expect(new Set(bodies).size).toBe(1);
    expect((await cached(datasetId)).files).toHaveLength(1);
  });

  test("stay within the cache's bound, and no request fails because of eviction", async () => {
    const bound = 200_000;
    const { drs, datasetId } = await withDocument({ cacheBytes: String(bound) });
    const items = await Array.fromAsync(drs.items.list(datasetId));
    const urls = items.map((item) => item.share.url);
    for (let round = 0; round < 40; round++) {
      const picks = Array.from({ length: 10 }, (_, index) => urls[(round * 17 + index * 7) % urls.length] ?? "");
      const statuses = await Promise.all(
        picks.map(async (url) => {
          const response = await fetch(url);
          await response.arrayBuffer();
          return response.status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      expect((await cached(datasetId)).bytes).toBeLessThanOrEqual(bound);
    }
  });

  test("are all made in the job when asked to", async () => {
    const { datasetId } = await withDocument({ renditions: "eager" });
    expect((await cached(datasetId)).files).toHaveLength(pageCount * 2);
  });

  test("of the first search results are made in advance", async () => {
    const { drs, datasetId } = await withDocument({}, true);
    await drs.search("page", { limit: 3 });
    await expect
      .poll(async () => (await cached(datasetId)).files.length, { timeout: 10_000 })
      .toBeGreaterThanOrEqual(3);
  });

  test("of the first search results are made in advance in the width that is asked for, and in no other", async () => {
    const { drs, datasetId } = await withDocument({}, true);
    await drs.search("page", { limit: 3, pictureWidth: 512 });
    await expect.poll(async () => (await cached(datasetId)).files.length, { timeout: 10_000 }).toBe(3);
    expect((await cached(datasetId)).files.filter((name) => !name.endsWith("-512.jpg"))).toEqual([]);
  });

  test("and vectors are freed when the dataset is deleted", async () => {
    const { drs, datasetId } = await withDocument({ renditions: "eager" }, true);
    const { freedBytes } = await drs.datasets.delete(datasetId);
    expect(freedBytes).toBe(document.length);
    await expect
      .poll(() => readdir(join(server.dataDir, "blobs", "renditions")).catch(() => []), { timeout: 10_000 })
      .toEqual([]);
    await expect
      .poll(() => readdir(join(server.dataDir, "blobs", "originals")).catch(() => []), { timeout: 10_000 })
      .toEqual([]);
    expect(await drs.search("page")).toEqual([]);
  });
});
