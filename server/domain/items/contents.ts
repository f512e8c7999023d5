import type { DatasetMetadata } from "../datasets/metadata.ts";
import type { Domain } from "../domain.ts";
import { DomainError } from "../errors.ts";
import type { PictureWidth, Highlight, DatasetItem } from "./item.ts";
import { openRendered, renditionTypes } from "../shares/rendition.ts";
import { pageTexts } from "./page-texts.ts";

/** Content that can be requested for items in addition to their links. */
const inclusions = ["text", "snippet", "highlights", "picture", "metadata"] as const;
export type Inclusion = (typeof inclusions)[number];

/** Content of an item, as far as it was requested and fits into the answer. */
export interface Contents {
  /** The page's text layer, never recognised text (OCR); empty if it has none. */
  readonly text?: string;
  /** Places of the query's words in its text layer, the most significant words first. */
  readonly highlights?: readonly Highlight[];
  /** The page as a JPEG in a data URL; also absent if the page cannot be drawn. */
  readonly picture?: string;
  /** Metadata of its document. */
  readonly metadata?: DatasetMetadata;
}

/** Limit for all contents of one answer together, bytes. */
export const maxContentBytes = 8 * 2 ** 20;

export interface ContentsQuery {
  /** Best first, because contents that no longer fit are left out. */
  readonly items: readonly DatasetItem[];
  /** Items that may have pictures; all if undefined. */
  readonly pictured?: readonly DatasetItem[];
  readonly include: readonly Inclusion[];
  readonly pictureWidth: PictureWidth | undefined;
  /** Limit for all contents together, bytes; by default that of an answer. */
  readonly maxBytes?: number | undefined;
}

/** Reads the contents of the items, in their order. Metadata and texts, which are small, come before pictures. */
export async function contentsOf(
  domain: Domain,
  {
    items,
    pictured = items,
    include,
    pictureWidth: width = defaultPictureWidth,
    maxBytes = maxContentBytes,
  }: ContentsQuery,
  signal: AbortSignal,
): Promise<readonly Contents[]> {
  const budget = createByteBudget(maxBytes);
  const metadata = include.includes("metadata") ? metadataOf(items, budget) : [];
  const texts = include.includes("text") ? await textsOf(domain, items, budget) : [];
  const pictures = include.includes("picture")
    ? await picturesOf(domain, { items: pictured, width, budget, signal })
    : new Map<DatasetItem, string>();
  return items.map((item, index) => {
    const picture = pictures.get(item);
    return { ...metadata[index], ...texts[index], ...(picture !== undefined && { picture }) };
  });
}

function metadataOf(items: readonly DatasetItem[], budget: ByteBudget): readonly Contents[] {
  return items.map(({ datasetMetadata: metadata }) =>
    budget.take(Buffer.byteLength(JSON.stringify(metadata))) ? { metadata } : {},
  );
}

async function textsOf(
  domain: Domain,
  items: readonly DatasetItem[],
  budget: ByteBudget,
): Promise<readonly Contents[]> {
  const contents: Contents[] = [];
  for await (const [, text] of pageTexts(domain, items)) {
    contents.push(budget.take(Buffer.byteLength(text)) ? { text } : {});
  }
  return contents;
}

/** Wide enough for a model to read a page well. */
const defaultPictureWidth: PictureWidth = 1024;
/** Number of pages that are drawn ahead: two threads draw for waiting callers. */
const drawnAhead = 2;

interface PicturesQuery {
  readonly items: readonly DatasetItem[];
  readonly width: PictureWidth;
  readonly budget: ByteBudget;
  readonly signal: AbortSignal;
}

/**
 * Draws the pages of the items as data URLs, in their order, until one no longer fits into the budget. A page that
 * cannot be drawn has none.
 */
async function picturesOf(
  domain: Domain,
  { items, width, budget, signal }: PicturesQuery,
): Promise<ReadonlyMap<DatasetItem, string>> {
  const pictures = new Map<DatasetItem, string>();
  const drawing = new Map<DatasetItem, Promise<Buffer | undefined>>();
  const full = new AbortController();
  const either = AbortSignal.any([signal, full.signal]);
  const draw = (item: DatasetItem | undefined): void => {
    if (item === undefined) return;
    const picture = pictureOf(domain, item, width, either);
    // It is awaited later, or not at all if the budget is used up.
    picture.catch(() => undefined);
    drawing.set(item, picture);
  };
  for (const item of items.slice(0, drawnAhead)) draw(item);
  for (const [index, item] of items.entries()) {
    const bytes = await drawing.get(item);
    drawing.delete(item);
    if (bytes !== undefined) {
      const url = `data:${renditionTypes.jpg};base64,${bytes.toString("base64")}`;
      if (!budget.take(url.length)) break;
      pictures.set(item, url);
    }
    draw(items[index + drawnAhead]);
  }
  full.abort();
  return pictures;
}

/** Undefined if the page cannot be drawn, or not in time. */
async function pictureOf(
  domain: Domain,
  { datasetId, page }: DatasetItem,
  width: PictureWidth,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  try {
    const { open } = await openRendered(domain, { datasetId, page, row: "jpg", width }, signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await open()) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DomainError) return undefined;
    throw cause;
  }
}

/** The space that is left in an answer for contents. */
interface ByteBudget {
  /** Takes `bytes` of it. If fewer are left, returns false and takes nothing. */
  take(bytes: number): boolean;
}

function createByteBudget(bytes: number): ByteBudget {
  let left = bytes;
  return {
    take(requested) {
      if (requested > left) return false;
      left -= requested;
      return true;
    },
  };
}
