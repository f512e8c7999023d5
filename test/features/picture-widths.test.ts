import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createDrs, type Drs, type Item } from "@drs/client";
import { ShareService } from "@drs/client/gen/drs/v1/shares_pb";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** Noise, of which a JPEG has many bytes. */
const noise = {
  width: 600,
  height: 850,
  pixel: (x: number, y: number) => {
    const value = (x * 7919 + y * 104_729 + ((x * y) % 251) * 31) % 256;
    return [value, (value * 5) % 256, (value * 11) % 256] as const;
  },
};
const prose = "The ships that lie here wait for the tide and for their cargo of timber.\n".repeat(8);
const pages = [
  { text: "A wide page about harbours", size: [842, 595] as const },
  { text: "A page about harbours that lies on its side", rotate: 90 },
  { text: "harbour", size: [60, 6_000] as const, fontSize: 2 },
  ...Array.from({ length: 9 }, (_, index) => ({ text: `Harbour ${index} in noise.\n${prose}`, picture: noise })),
];

describe("pictures by their width", () => {
  let server: TestServer;
  let drs: Drs;
  let datasetId: string;

  beforeAll(async () => {
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const job = await drs.datasets.upload(makePdf({ pages }), { fileName: "harbours.pdf", vectorize: true });
    datasetId = job.datasetId;
    expect(await drs.jobs.wait(job.id)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(() => server.remove());

  async function item(row: Item["row"], page = 1): Promise<Item> {
    const [found] = await Array.fromAsync(drs.items.list(datasetId, { row, cols: [page] }));
    if (found === undefined) throw new Error(`page ${page} has no ${row}`);
    return found;
  }
  const fetched = async (url: string): Promise<{ width: number; height: number; etag: string; name: string }> => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    const { width, height } = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
    const header = (name: string): string => response.headers.get(name) ?? "";
    return { width, height, etag: header("etag"), name: header("content-disposition") };
  };

  test("a link takes each of the widths, as renditions of their own that are made once", async () => {
    const { share } = await item("jpg");
    const tags = new Set([(await fetched(share.url)).etag]);
    for (const width of [256, 512, 1024, 1568, 2000]) {
      const picture = await fetched(`${share.url}&width=${width}`);
      expect([picture.width, picture.height]).toEqual([width, Math.round((width * 595) / 842)]);
      expect(picture.name).toContain(`harbours-page-1-${width}.jpg`);
      tags.add(picture.etag);
    }
    expect(tags.size).toBe(6);
    const folder = join(server.dataDir, "blobs", "renditions", datasetId);
    const before = await readdir(folder);
    await fetched(`${share.url}&width=512`);
    expect(await readdir(folder)).toEqual(before);
  });

  test("a page that lies on its side is as wide as it is shown, and a strip stays within bounds", async () => {
    expect(await fetched(`${(await item("jpg", 2)).share.url}&width=512`)).toMatchObject({ width: 512, height: 362 });
    const strip = await fetched(`${(await item("jpg", 3)).share.url}&width=2000`);
    expect(strip.height).toBe(16_000);
    expect(strip.width).toBe(160);
  });

  test.each(["300", "0", "-256", "256.0", "1e3", "256px", "", "99999999999999999999", "NaN", "../1024"])(
    "the width %j is refused",
    async (width) => {
      const { share } = await item("jpg");
      const response = await fetch(`${share.url}&width=${encodeURIComponent(width)}`);
      expect([response.status, await response.text()]).toEqual([
        400,
        expect.stringMatching(/256, 512, 1024, 1568, 2000/),
      ]);
    },
  );

  test("a width is refused twice, misspelt, of what is no picture, and without a token", async () => {
    const jpg = await item("jpg");
    const pdf = await item("pdf");
    const status = async (url: string): Promise<number> => (await fetch(url)).status;
    expect(await status(`${jpg.share.url}&width=256&width=512`)).toBe(400);
    expect(await status(`${jpg.share.url}&Width=256`)).toBe(400);
    expect(await status(`${pdf.share.url}&width=256`)).toBe(400);
    expect(await status(`${(await drs.datasets.get(datasetId)).share.url}&width=256`)).toBe(400);
    expect(await status(`${server.url}/v1/share/${jpg.id}?token=${pdf.share.token}&width=256`)).toBe(403);
  });

  test("the other protocols take it as well", async () => {
    const { id, share } = await item("jpg");
    const client = createClient(ShareService, createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }));
    const read = async (width: number): Promise<Buffer> => {
      const chunks: Uint8Array[] = [];
      for await (const { chunk } of client.readShare({ id, token: share.token, width })) chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    expect((await sharp(await read(256)).metadata()).width).toBe(256);
    await expect(read(257)).rejects.toThrow(/width/);
  });

  test("what an answer includes stays within its budget, the best pages first", async () => {
    const found = await drs.search("harbour in noise", {
      datasetIds: [datasetId],
      limit: 12,
      include: ["text", "picture"],
      pictureWidth: 2000,
    });
    expect(found).toHaveLength(12);
    const lengths = found.map(({ picture = "" }) => picture.length);
    const total = lengths.reduce((sum, length) => sum + length, 0);
    expect(total).toBeGreaterThan(4 * 2 ** 20);
    expect(total).toBeLessThanOrEqual(8 * 2 ** 20);
    const first = lengths.findIndex((length) => length === 0);
    expect(first).toBeGreaterThan(0);
    expect(lengths.slice(first).every((length) => length === 0)).toBe(true);
    expect(found.every(({ text }) => text?.includes("arbour"))).toBe(true);
  });

  test("goes with its document", async () => {
    const job = await drs.datasets.upload(makePdf({ pages: [{ text: "short-lived" }] }), { fileName: "short.pdf" });
    await drs.jobs.wait(job.id);
    const [page] = await Array.fromAsync(drs.items.list(job.datasetId, { row: "jpg" }));
    await fetched(`${page?.share.url}&width=1024`);
    await drs.datasets.delete(job.datasetId);
    expect((await fetch(`${page?.share.url}&width=1024`)).status).toBe(403);
    const folder = join(server.dataDir, "blobs", "renditions", job.datasetId);
    await expect.poll(() => readdir(folder).catch(() => []), { timeout: 20_000 }).toEqual([]);
  });
});
