import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findLines } from "../../../server/embedding/ocr/find-lines.ts";
import type { PageOcr } from "../../../server/embedding/ocr/page-ocr.ts";
import { createPdfiumEngine } from "../../../server/pipeline/engines/pdfium/engine.ts";
import { cleanWords } from "../../../server/pipeline/engines/words.ts";
import { type PicturePage, picturePdf } from "./scan.ts";

export interface PageRead {
  readonly words: string;
  /** CPU milliseconds of reading as a whole, and of finding the lines alone. */
  readonly readMs: number;
  readonly findMs: number;
}

export const maxEngineBytes = 700 * 2 ** 20;

/** Reads scans as the service does: from a PDF of pictures, drawn by its engine. */
export async function readScans(ocr: PageOcr, pages: readonly PicturePage[]): Promise<PageRead[]> {
  const folder = await mkdtemp(join(tmpdir(), "drs-eval-scans-"));
  try {
    const file = join(folder, "scans.pdf");
    await writeFile(file, picturePdf(pages));
    const document = await (await createPdfiumEngine(maxEngineBytes)).open(file);
    try {
      const results: PageRead[] = [];
      for (let page = 1; page <= pages.length; page += 1) {
        const { width, height, data } = await document.picture(page, ocr.picture);
        const grey = { width, height, channels: 1, data } as const;
        const before = process.cpuUsage();
        findLines(grey);
        const found = process.cpuUsage(before);
        const words = cleanWords(await ocr.read(grey));
        const all = process.cpuUsage(before);
        const findMs = (found.user + found.system) / 1000;
        results.push({ words, findMs, readMs: (all.user + all.system) / 1000 - findMs });
      }
      return results;
    } finally {
      await document.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Recall and precision of the words read from a page. */
interface WordRates {
  readonly recall: number;
  readonly precision: number;
}

/** Compares words as in an index: lower-case letters and digits, with their number of occurrences. */
export function wordRates(truth: string, read: string): WordRates {
  const wanted = counted(truth);
  const found = counted(read);
  let both = 0;
  for (const [word, count] of wanted) both += Math.min(count, found.get(word) ?? 0);
  return { recall: both / Math.max(1, total(wanted)), precision: both / Math.max(1, total(found)) };
}

function counted(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
