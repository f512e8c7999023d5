import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createPdfiumEngine } from "../../../server/pipeline/engines/pdfium/engine.ts";
import type { OpenDocument } from "../../../server/pipeline/engines/engine.ts";
import { loadPack } from "../../../server/embedding/load.ts";
import { resolvePackDir } from "../../../server/embedding/packs.ts";
import { isUsable } from "../../../server/embedding/ocr/text-layer.ts";
import type { PageOcr } from "../../../server/embedding/ocr/page-ocr.ts";
import { type PicturePage, scanned } from "./scan.ts";
import { createRandom, type Random } from "./random.ts";
import { maxEngineBytes, mean, median, readScans, wordRates } from "./read-pages.ts";

interface FolderPage {
  readonly file: string;
  readonly page: number;
  readonly recall: number;
  readonly precision: number;
  readonly findMs: number;
  readonly readMs: number;
  /** Letters in the text layer. */
  readonly letters: number;
}

const resolution = 150;

/** Measures a pack's reader on picture-only versions of pages of real PDFs, as they are and scanned, and prints both. */
export async function runScansOfFolder(options: {
  folder: string;
  model: string;
  pages: number;
}): Promise<Record<"drawn" | "scanned", FolderPage[]>> {
  const pack = await loadPack(resolvePackDir(options.model));
  try {
    if (pack.ocr === undefined) throw new Error(`the pack ${pack.id} has no reader of scans`);
    const drawn = await readFolder(pack.ocr, options.folder, { pages: options.pages, isScanned: false });
    process.stdout.write(`drawn: ${folderSummary(drawn)}\n`);
    const asScans = await readFolder(pack.ocr, options.folder, { pages: options.pages, isScanned: true });
    process.stdout.write(`scanned: ${folderSummary(asScans)}\n`);
    return { drawn, scanned: asScans };
  } finally {
    await pack.close();
  }
}

/**
 * Reads picture-only versions of pages of the PDFs in a folder, and compares with their text layers. Takes about as many pages of
 * each document, spread over it. With `isScanned` the pictures are also turned, noisy and unevenly lit.
 */
async function readFolder(
  ocr: PageOcr,
  folder: string,
  options: { readonly pages: number; readonly isScanned: boolean },
): Promise<FolderPage[]> {
  const engine = await createPdfiumEngine(maxEngineBytes);
  const names = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith(".pdf")).toSorted();
  const documents: { file: string; document: OpenDocument; pages: number[] }[] = [];
  for (const file of names) {
    const document = await engine.open(join(folder, file));
    documents.push({ file, document, pages: await usablePages(document, maxPagesEach) });
  }
  // One page of each document in turn, until there are enough.
  const turns = Array.from({ length: maxPagesEach }, (_, turn) =>
    documents.flatMap(({ file, document, pages }) =>
      pages.slice(turn, turn + 1).map((page) => ({ file, document, page })),
    ),
  );
  const results: FolderPage[] = [];
  for (const { file, document, page } of turns.flat().slice(0, options.pages)) {
    const { words: truth } = await document.read(page);
    const picture = await pictureOf(document, page, options.isScanned ? createRandom(page) : undefined);
    const [read] = await readScans(ocr, [picture]);
    if (read === undefined) throw new Error("a page got lost");
    const { findMs, readMs, words } = read;
    results.push({ file, page, ...wordRates(truth, words), findMs, readMs, letters: truth.length });
  }
  for (const { document } of documents) await document.close();
  return results;
}

const maxPagesEach = 8;

/** Returns pages, spread over the document, with a reliable text layer: Latin letters, and enough of them. */
async function usablePages(document: OpenDocument, max: number): Promise<number[]> {
  const step = Math.max(1, Math.floor(document.pageCount / (max + 1)));
  const pages: number[] = [];
  for (let page = Math.min(step, document.pageCount); page <= document.pageCount && pages.length < max; page += step) {
    const { words } = await document.read(page);
    const latin = words.match(/\p{Script=Latin}/gu)?.length ?? 0;
    const letters = words.match(/\p{L}/gu)?.length ?? 0;
    if (isUsable(words) && latin > 0.9 * letters) pages.push(page);
  }
  return pages;
}

async function pictureOf(document: OpenDocument, page: number, random: Random | undefined): Promise<PicturePage> {
  const { default: sharp } = await import("sharp");
  const size = await document.read(page);
  const longSide = Math.round((Math.max(size.width, size.height) * resolution) / 72);
  const { width, height, data } = await document.picture(page, { longSide, channels: 1 });
  const jpeg =
    random === undefined
      ? await sharp(data, { raw: { width, height, channels: 1 } })
          .toColourspace("b-w")
          .jpeg({ quality: 75 })
          .toBuffer()
      : await scanned({ width, height, data }, random);
  return { jpeg, width, height, resolution };
}

function folderSummary(pages: readonly FolderPage[]): string {
  const of = (key: "recall" | "precision" | "findMs" | "readMs"): string => {
    const values = pages.map((page) => page[key]);
    return `${key} ${mean(values).toFixed(3)} mean, ${median(values).toFixed(3)} median`;
  };
  return `${pages.length} pages: ${of("recall")}; ${of("precision")}; ${of("findMs")}; ${of("readMs")}`;
}
