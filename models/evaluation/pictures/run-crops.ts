import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Drs } from "@drs/client";
import sharp from "sharp";
import { serveDocuments } from "../documents/serve-documents.ts";
import { createRandom, type Random } from "./random.ts";

interface CropsOptions {
  /** The folder whose `pdf/` has the documents. */
  readonly folder: string;
  readonly model: string;
  /** The server's data folder, which keeps the documents for the next run; if undefined, a temporary one. */
  readonly keep: string | undefined;
}

interface Figures {
  readonly queries: number;
  /** The number of crops whose page came first, or among the first five. */
  readonly first: number;
  readonly firstFive: number;
}

const queries = 200;
/** The minimum standard deviation of grey levels: a crop with less is blank paper, which is on every page. */
const leastInk = 8;

/**
 * Counts, with a server, how many random crops of pages find their page first among all pages of the PDFs in a folder. Crops have
 * 20 to 80 % of each side, are scaled to 50 to 100 % and compressed again.
 */
export async function runCrops({ folder, model, keep }: CropsOptions): Promise<Figures> {
  const corpus = join(folder, "pdf");
  const names = (await readdir(corpus)).filter((name) => name.endsWith(".pdf")).toSorted();
  return serveDocuments(
    { corpus, names, model, keep },
    { served: ({ drs, ids }) => findCrops(drs, [...ids.values()]), kept: async (_, figures) => figures },
  );
}

async function findCrops(drs: Drs, datasetIds: readonly string[]): Promise<Figures> {
  const random = createRandom(11);
  const pages = await pagesOf(drs, datasetIds);
  const places: number[] = [];
  for (const { datasetId, page } of random.some(pages, 2 * queries)) {
    if (places.length === queries) break;
    const [item] = (await drs.items.page(datasetId, { row: "jpg", cols: page })).data;
    if (item === undefined) continue;
    const crop = await cropOf(await (await drs.download(item)).bytes(), random);
    if (crop === undefined) continue;
    const found = await drs.search({ image: new Blob([new Uint8Array(crop)], { type: "image/jpeg" }) });
    places.push(found.findIndex((hit) => hit.datasetId === datasetId && hit.col === page));
  }
  const within = (most: number): number => places.filter((place) => place >= 0 && place < most).length;
  const figures = { queries: places.length, first: within(1), firstFive: within(5) };
  process.stdout.write(`${pages.length} pages, ${JSON.stringify(figures)}\n`);
  return figures;
}

async function pagesOf(drs: Drs, ids: readonly string[]): Promise<{ datasetId: string; page: number }[]> {
  const datasets = await Promise.all(ids.map((id) => drs.datasets.get(id)));
  return datasets.flatMap(({ id, itemCount }) =>
    Array.from({ length: itemCount }, (_, index) => ({ datasetId: id, page: index + 1 })),
  );
}

/** Returns undefined if that part of the page is blank. */
async function cropOf(jpeg: Uint8Array, random: Random): Promise<Uint8Array | undefined> {
  const { width, height } = await sharp(jpeg).metadata();
  const part = {
    width: Math.max(16, Math.round(width * random.between(0.2, 0.8))),
    height: Math.max(16, Math.round(height * random.between(0.2, 0.8))),
  };
  const left = Math.floor(random.between(0, Math.max(0, width - part.width)));
  const top = Math.floor(random.between(0, Math.max(0, height - part.height)));
  const piece = await sharp(jpeg)
    .extract({ left, top, ...part })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const { channels } = await sharp(piece).greyscale().stats();
  if ((channels[0]?.stdev ?? 0) < leastInk) return undefined;
  return sharp(piece)
    .resize({ width: Math.max(8, Math.round(part.width * random.between(0.5, 1))) })
    .jpeg({ quality: Math.round(random.between(40, 80)) })
    .toBuffer();
}
