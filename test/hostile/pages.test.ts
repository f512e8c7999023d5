import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DocumentError, PageError } from "../../server/pipeline/errors.ts";
import { createPdfiumEngine } from "../../server/pipeline/engines/pdfium/engine.ts";
import { pdfjsEngine } from "../../server/pipeline/engines/pdfjs/engine.ts";
import type { PageEngine } from "../../server/pipeline/engines/engine.ts";
import { createPagePool, type PagePool } from "../../server/pipeline/threads/pool.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const corpus = resolve(root, process.env["DRS_CORPUS"] ?? "../shared/corpus");
const absent = !existsSync(corpus);
const why = absent ? " (skipped: no documents; name their folder in DRS_CORPUS)" : "";

const pdfs = (folder: string): string[] =>
  absent ? ["none"] : readdirSync(resolve(corpus, folder)).filter((name) => name.endsWith(".pdf"));

const pageTimeoutMs = 8_000;
const maxRssBytes = 1_500 * 2 ** 20;
/** The pages of long documents to look at: the ends and some between. */
const sample = (count: number): number[] =>
  [...new Set([1, 2, Math.ceil(count / 2), count])].filter((page) => page <= count);

describe.skipIf(absent)(`pages of real and hostile documents${why}`, () => {
  let pool: PagePool;
  beforeAll(() => {
    pool = createPagePool({ threads: 2, pageTimeoutMs, maxRssBytes });
  });
  afterAll(() => pool.close());

  /** The outcome of a document: `opened` and the outcome of each page, or the sentence that refuses it. */
  async function process(file: string): Promise<{ refused?: string; pages: number; read: number; failed: string[] }> {
    let pages: number;
    try {
      pages = await pool.countPages(file);
    } catch (cause) {
      if (!(cause instanceof DocumentError)) throw cause;
      return { refused: cause.message, pages: 0, read: 0, failed: [] };
    }
    const failed: string[] = [];
    let read = 0;
    await pool.readPages(
      { file, pages: Array.from({ length: pages }, (_, index) => index + 1) },
      {
        start: () => {},
        page: (result) => void ("reason" in result ? failed.push(result.reason) : (read += 1)),
      },
    );
    return { pages, read, failed };
  }

  async function render(file: string, page: number, row: "jpg" | "pdf"): Promise<Uint8Array | undefined> {
    try {
      return await pool.renderPage({ file, page, row });
    } catch (cause) {
      if (cause instanceof PageError || cause instanceof DocumentError) return undefined;
      throw cause;
    }
  }

  test.each(pdfs("bad"))("bad/%s ends in results or reasons", async (name) => {
    const file = resolve(corpus, "bad", name);
    const { refused, pages, read, failed } = await process(file);
    expect(read + failed.length).toBe(pages);
    for (const sentence of refused === undefined ? failed : [refused]) {
      expect(sentence).toMatch(/^(the|opening the) (page|document|file) /);
    }
    for (const row of ["jpg", "pdf"] as const) await render(file, 1, row);
    // Whatever it did to a thread, the next document is processed as usual.
    const good = resolve(corpus, "pdf/tracemonkey.pdf");
    expect(await process(good)).toEqual({ pages: 14, read: 14, failed: [] });
    expect(await render(good, 1, "jpg")).toBeDefined();
  });

  test.each(pdfs("pdf"))("pdf/%s is read, drawn and split", async (name) => {
    const file = resolve(corpus, "pdf", name);
    const { refused, pages, read } = await process(file);
    expect(refused).toBeUndefined();
    expect(read).toBe(pages);
    for (const page of sample(pages)) {
      const jpeg = await render(file, page, "jpg");
      const { width, height, format } = await sharp(jpeg).metadata();
      expect(format).toBe("jpeg");
      expect(Math.max(width, height)).toBeLessThanOrEqual(2400);
      const pdf = await render(file, page, "pdf");
      expect(
        Buffer.from(pdf ?? [])
          .subarray(0, 5)
          .toString(),
      ).toBe("%PDF-");
    }
  });
});

describe.skipIf(absent)(`the two engines${why}`, () => {
  let pdfium: PageEngine;
  beforeAll(async () => {
    pdfium = await createPdfiumEngine(700 * 2 ** 20);
  });

  // The others have hardly any words, or words that no font says how to read.
  test.each([
    "TAMReview",
    "calrgb",
    "freeculture",
    "octave",
    "pgfmanual",
    "debian-reference.ja",
    "tracemonkey",
    "pdkids",
  ])("read the same words in %s", async (name) => {
    const file = resolve(corpus, `pdf/${name}.pdf`);
    const [one, other] = [await pdfium.open(file), await pdfjsEngine.open(file)];
    try {
      expect(one.pageCount).toBe(other.pageCount);
      for (const page of sample(one.pageCount)) {
        const [a, b] = [await one.read(page), await other.read(page)];
        expect(a.width).toBeCloseTo(b.width, 1);
        expect(a.height).toBeCloseTo(b.height, 1);
        // PDFium also gives what a printer left outside the crop box, as pdftotext does; pdf.js does not.
        expect(commonShare(a.words, b.words), `page ${page}`).toBeGreaterThan(0.85);
      }
    } finally {
      await one.close();
      await other.close();
    }
  });
});

/** Share of characters that both texts have, spaces aside: engines divide words differently. */
function commonShare(one: string, other: string): number {
  const count = (text: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const character of text.replace(/[\s-]/g, "")) counts.set(character, (counts.get(character) ?? 0) + 1);
    return counts;
  };
  const [a, b] = [count(one), count(other)];
  const sum = (counts: Map<string, number>): number => [...counts.values()].reduce((total, next) => total + next, 0);
  const common = [...a].reduce((total, [character, times]) => total + Math.min(times, b.get(character) ?? 0), 0);
  return Math.max(sum(a), sum(b)) === 0 ? 1 : common / Math.max(sum(a), sum(b));
}
