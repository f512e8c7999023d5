import type { DatasetMetadata } from "../datasets/metadata.ts";
import type { Domain } from "../domain.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import type { Highlight } from "./highlight.ts";
import type { DatasetItem } from "./item.ts";
import { pageTexts } from "./page-texts.ts";
import { defaultPictureWidth, picturesOf } from "./pictures.ts";
import { type ByteBudget, createByteBudget } from "./room.ts";

/** Content that can be requested for items in addition to their links. */
export const inclusions = ["text", "snippet", "highlights", "picture", "metadata"] as const;
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
