import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { corpusFile, corpusReason, hasCorpus } from "../service/corpus.ts";
import { hasSharedStores } from "../service/shared-stores.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { hasTool, runTool, toolReason } from "../service/tools.ts";

describe.skipIf(!hasCorpus)(`a book of 352 pages${corpusReason}`, () => {
  let server: TestServer;
  let drs: Drs;
  let folder: string;
  let datasetId: string;
  const book = corpusFile("pdf/freeculture.pdf");

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "drs-pages-"));
    server = await startServer();
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
    const form = new FormData();
    form.set("file", new Blob([await readFile(book)]), "freeculture.pdf");
    const response = await fetch(`${server.url}/v1/extract`, {
      method: "POST",
      headers: { "x-api-key": server.credentials.apiKey },
      body: form,
    });
    const { data }: { data: { id: string; datasetId: string } } = JSON.parse(await response.text());
    datasetId = data.datasetId;
    expect(await drs.jobs.wait(data.id)).toMatchObject({ status: "SUCCESS", failures: [] });
  });
  afterAll(async () => {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function items(row: "jpg" | "pdf", cols: string) {
    return Array.fromAsync(drs.items.list(datasetId, { row, cols: [cols], sort: ["col"] }));
  }

  async function bytesOf(url: string): Promise<Buffer<ArrayBuffer>> {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer());
  }

  test("has 352 items of each row, and the pages asked for", async () => {
    expect(await drs.datasets.get(datasetId)).toMatchObject({ itemCount: 352 });
    const response = await fetch(`${server.url}/v1/datasets/${datasetId}/items?row=jpg&cols=5:10,16`, {
      headers: { "x-api-key": server.credentials.apiKey },
    });
    expect(await response.json()).toMatchObject({ total: 7, limit: 10, offset: 0, sort: ["-createdAt"] });
  });

  test("every JPEG asked for decodes, in the size of its page", async () => {
    const list = await Array.fromAsync(drs.items.list(datasetId, { row: "jpg", sort: ["col"] }));
    expect(list.map(({ col }) => col)).toEqual(Array.from({ length: 352 }, (_, index) => index + 1));
    // From where the bytes come changes nothing in how they are drawn: on shared stores every eighth page is.
    for (const item of hasSharedStores ? list.filter(({ col }) => col < 3 || col % 8 === 0) : list) {
      const { info } = await sharp(await bytesOf(item.share.url))
        .raw()
        .toBuffer({ resolveWithObject: true });
      // The crop boxes of the cover, of the page behind it and of the text, at 150 dpi.
      const size = item.col === 1 ? [1020, 1530] : item.col === 2 ? [915, 900] : [826, 1238];
      expect([info.width, info.height]).toEqual(size);
    }
    // All pages are drawn, one after the other.
  }, 240_000);

  test.skipIf(!hasTool("qpdf") || !hasTool("pdftotext"))(
    `one-page PDFs are sound and have their page's text${toolReason("qpdf", "pdftotext")}`,
    async () => {
      // The words within the crop box: printer's marks beside it are seen by nobody, and are not in one-page PDFs.
      const words = (args: string[]): readonly string[] =>
        Array.from(
          runTool("pdftotext", ["-cropbox", "-bbox", ...args, "-"]).matchAll(/<word .*?>(.*?)<\/word>/g),
          ([, word = ""]) => word,
        );
      for (const item of await items("pdf", "3,17,100:104,352")) {
        const path = join(folder, `${item.col}.pdf`);
        await writeFile(path, await bytesOf(item.share.url));
        runTool("qpdf", ["--check", path]);
        expect(runTool("qpdf", ["--show-npages", path]).trim()).toBe("1");
        const ofPage = words(["-f", String(item.col), "-l", String(item.col), book]);
        expect(words([path])).toEqual(ofPage);
        expect(ofPage).not.toEqual([]);
      }
    },
  );

  test.skipIf(!hasTool("pdftoppm"))(`pictures look like another renderer's${toolReason("pdftoppm")}`, async () => {
    for (const item of await items("jpg", "40,100,200")) {
      const page = String(item.col);
      runTool("pdftoppm", [
        "-r",
        "150",
        "-f",
        page,
        "-l",
        page,
        "-cropbox",
        "-png",
        "-singlefile",
        book,
        join(folder, page),
      ]);
      const small = async (picture: string | Buffer): Promise<Buffer> =>
        sharp(picture).flatten({ background: "#fff" }).greyscale().resize(30, 45, { fit: "fill" }).raw().toBuffer();
      const [ours, theirs] = await Promise.all([
        small(await bytesOf(item.share.url)),
        small(join(folder, `${page}.png`)),
      ]);
      const difference =
        ours.reduce((sum, value, index) => sum + Math.abs(value - (theirs[index] ?? 0)), 0) / ours.length;
      expect(difference).toBeLessThan(6);
    }
  });
});
