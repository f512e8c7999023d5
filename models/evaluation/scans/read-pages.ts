import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createPdfiumEngine } from "../../../server/pipeline/engines/pdfium/engine.ts";
import { cleanWords } from "../../../server/pipeline/engines/words.ts";
import { findLines } from "../../../server/embedding/ocr/find-lines.ts";
import type { PageOcr } from "../../../server/embedding/ocr/page-ocr.ts";
import { type PicturePage, picturePdf } from "./picture-pdf.ts";

export interface PageRead {
  readonly words: string;
  /** CPU milliseconds: of all of the reading, and of only finding the lines. */
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
