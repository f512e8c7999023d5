import { createPagePool, type PagePool } from "../../server/pipeline/threads/pool.ts";
import sharp from "sharp";
import { mean } from "../measuring/statistics.ts";

export interface Difference {
  /** The mean over all common pages, in grey levels from 0 (equal) to 255. */
  readonly mean: number;
  /** The difference of the page that differs most. */
  readonly largest: number;
}

/** Dots per A4 page: enough to see a line move, and too few to see how glyphs are smoothed. */
const size = { width: 300, height: 424 } as const;

/** The service's own threads, which count and draw pages. */
export function openPool(): PagePool {
  return createPagePool({ threads: 1 });
}

/** Returns how much the first `pages` pages of two PDFs differ visually. */
export async function differenceOf(
  pool: PagePool,
  files: readonly [one: string, other: string],
  pages: number,
): Promise<Difference> {
  const differences: number[] = [];
  for (let page = 1; page <= pages; page++) {
    const [one, other] = await Promise.all([draw(pool, files[0], page), draw(pool, files[1], page)]);
    differences.push(mean(Array.from(one, (grey, index) => Math.abs(grey - (other[index] ?? 0)))));
  }
  return { mean: mean(differences), largest: Math.max(...differences) };
}

/** Draws a page in grey. All pages have the same size, so that pages of different shapes differ too. */
async function draw(pool: PagePool, file: string, page: number): Promise<Uint8Array> {
  const picture = await pool.renderPage({ file, page, row: "jpg" });
  return sharp(picture)
    .resize({ ...size, fit: "fill" })
    .toColourspace("b-w")
    .raw()
    .toBuffer();
}
