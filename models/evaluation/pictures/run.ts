import { readdir } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { decodePicture } from "../../../server/embedding/picture/decode.ts";
import { pageSignature, querySignatures } from "../../../server/embedding/picture/signature.ts";
import { createPdfiumEngine } from "../../../server/pipeline/engines/pdfium/engine.ts";
import { photograph } from "./photograph.ts";
import { createRandom, type Random } from "./random.ts";

/** The size that the built-in pack expects of pages and queries. */
const longSide = 640;
/** The maximum number of pages of a document, so that no single manual dominates. */
const maxPages = 500;
const maxEngineBytes = 2 ** 30;

interface Found {
  /** The number of queries whose page came first. */
  readonly first: number;
  readonly queries: number;
}

interface Signed {
  /** The file and the page. */
  readonly key: string;
  readonly signature: Float32Array;
}

/**
 * Counts how many JPEGs of random pages, changed as people and programs change pictures, find their page first among all pages of
 * the PDFs in a folder. Pages with equal signatures (copies) count as one.
 */
export async function runPictures({
  folder = process.env["DRS_CORPUS"] ?? "../shared/corpus",
  queries = 200,
}: { folder?: string; queries?: number } = {}): Promise<Record<string, Found>> {
  const random = createRandom(7);
  const { pages, shared } = await signPages(join(folder, "pdf"), queries, random);
  process.stderr.write(`${pages.length} pages, ${shared.length} of them asked for\n`);
  const found: Record<string, Found> = {};
  for (const [name, change] of Object.entries(changes)) {
    let first = 0;
    for (const { key, jpeg } of shared) {
      const asked = querySignatures(await decodePicture(await change(jpeg, random), { longSide }));
      if (isFirst(key, asked, pages)) first += 1;
    }
    found[name] = { first, queries: shared.length };
    process.stdout.write(`${name.padEnd(58)} ${((100 * first) / shared.length).toFixed(1)} %\n`);
  }
  return found;
}

function isFirst(key: string, asked: readonly Float32Array[], pages: readonly Signed[]): boolean {
  let [own, others] = [-Infinity, -Infinity];
  for (const page of pages) {
    const score = Math.max(...asked.map((signature) => dot(signature, page.signature)));
    if (page.key === key) own = score;
    else others = Math.max(others, score);
  }
  return own >= others - 1e-6;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Signs all pages, and keeps the JPEGs of some. */
async function signPages(
  folder: string,
  queries: number,
  random: Random,
): Promise<{ pages: Signed[]; shared: { key: string; jpeg: Uint8Array }[] }> {
  const engine = await createPdfiumEngine(maxEngineBytes);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".pdf")).toSorted();
  const pages: Signed[] = [];
  const refs: { file: string; page: number }[] = [];
  for (const file of files) {
    const document = await engine.open(join(folder, file));
    for (let page = 1; page <= Math.min(maxPages, document.pageCount); page += 1) {
      const signature = pageSignature(await document.picture(page, { longSide, channels: 1 }));
      if (signature === undefined) continue;
      pages.push({ key: `${file}/${page}`, signature });
      refs.push({ file, page });
    }
    await document.close();
    process.stderr.write(`${file}: ${pages.length} pages so far\n`);
  }
  const shared: { key: string; jpeg: Uint8Array }[] = [];
  for (const { file, page } of random.some(refs, queries)) {
    const document = await engine.open(join(folder, file));
    shared.push({ key: `${file}/${page}`, jpeg: await document.jpeg(page) });
    await document.close();
  }
  return { pages, shared };
}

type Change = (jpeg: Uint8Array, random: Random) => Promise<Uint8Array>;

/** Changes to a page's picture before it is used as a query, by their names in the report. */
const changes: Record<string, Change> = {
  "as it is": async (jpeg) => jpeg,
  "quality 15": (jpeg) => sharp(jpeg).jpeg({ quality: 15 }).toBuffer(),
  "cut to 80 % of its area, scaled to 50 %, quality 40": (jpeg, random) => cut(jpeg, Math.sqrt(0.8), 0.5, random),
  "cut to 80 % of each side, scaled to 50 %, quality 40": (jpeg, random) => cut(jpeg, 0.8, 0.5, random),
  "scaled to 30 %, quality 40": (jpeg, random) => cut(jpeg, 1, 0.3, random),
  "shifted by up to 4 %": shifted,
  "turned by up to 3°": (jpeg, random) =>
    sharp(jpeg).rotate(random.between(-3, 3), { background: "white" }).jpeg({ quality: 70 }).toBuffer(),
  "photo: ≤ 1.5°, 2.5 % keystone, uneven light, border": (jpeg, random) =>
    photograph(jpeg, { turn: 1.5, keystone: 0.025, fills: [0.85, 0.95] }, random),
  "photo: ≤ 3°, 5 % keystone, uneven light, border": (jpeg, random) =>
    photograph(jpeg, { turn: 3, keystone: 0.05, fills: [0.72, 0.95] }, random),
};

/** Cuts out a random part, scales it down and compresses it. */
async function cut(jpeg: Uint8Array, side: number, scale: number, random: Random): Promise<Buffer> {
  const { width, height } = await sharp(jpeg).metadata();
  const part = { width: Math.max(1, Math.round(width * side)), height: Math.max(1, Math.round(height * side)) };
  const left = Math.floor(random.between(0, width - part.width));
  const top = Math.floor(random.between(0, height - part.height));
  const piece = await sharp(jpeg)
    .extract({ left, top, ...part })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(piece)
    .resize({ width: Math.max(8, Math.round(part.width * scale)) })
    .jpeg({ quality: 40 })
    .toBuffer();
}

async function shifted(jpeg: Uint8Array, random: Random): Promise<Buffer> {
  const { width, height } = await sharp(jpeg).metadata();
  const [left, top] = [Math.round(random.between(0, 0.04) * width), Math.round(random.between(0, 0.04) * height)];
  const moved = await sharp(jpeg).extend({ left, top, background: "white" }).png({ compressionLevel: 1 }).toBuffer();
  return sharp(moved).extract({ left: 0, top: 0, width, height }).jpeg({ quality: 70 }).toBuffer();
}
