import type { DatasetMetadata } from "../datasets/metadata.ts";
import type { Domain } from "../domain.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import type { Highlight } from "./highlight.ts";
import type { DatasetItem } from "./item.ts";
import { pageTexts } from "./page-texts.ts";
import { defaultPictureWidth, picturesOf } from "./pictures.ts";
import { createRoom, type Room } from "./room.ts";

/** What items can bring along beside their links. */
export const inclusions = ["text", "snippet", "highlights", "picture", "metadata"] as const;
export type Inclusion = (typeof inclusions)[number];

/** What an item brings along, where that was asked for and the answer has room for it. */
export interface Contents {
  /** The page's text layer, never words that were read off a picture; empty: it has none. */
  readonly text?: string;
  /** Where its text layer has the words of the question, those that say most first. */
  readonly highlights?: readonly Highlight[];
  /** The page as a JPEG in a data URL; absent also where it cannot be drawn. */
  readonly picture?: string;
  /** Of its document. */
  readonly metadata?: DatasetMetadata;
}

/** Of the contents of one answer together, bytes. */
export const maxContentBytes = 8 * 2 ** 20;

export interface ContentsAsked {
  /** The best first: what no longer fits is left out. */
  readonly items: readonly DatasetItem[];
  /** Those of them that may bring pictures; all when undefined. */
  readonly pictured?: readonly DatasetItem[];
  readonly include: readonly Inclusion[];
  readonly pictureWidth: PictureWidth | undefined;
  /** The room that they have together, bytes; default: all that an answer has. */
  readonly maxBytes?: number | undefined;
}

/** What each of the items brings along, in their order. Metadata and texts, which are small, come before pictures. */
export async function contentsOf(
  domain: Domain,
  {
    items,
    pictured = items,
    include,
    pictureWidth: width = defaultPictureWidth,
    maxBytes = maxContentBytes,
  }: ContentsAsked,
  signal: AbortSignal,
): Promise<readonly Contents[]> {
  const room = createRoom(maxBytes);
  const metadata = include.includes("metadata") ? metadataOf(items, room) : [];
  const texts = include.includes("text") ? await textsOf(domain, items, room) : [];
  const pictures = include.includes("picture")
    ? await picturesOf(domain, { items: pictured, width, room, signal })
    : new Map<DatasetItem, string>();
  return items.map((item, index) => {
    const picture = pictures.get(item);
    return { ...metadata[index], ...texts[index], ...(picture !== undefined && { picture }) };
  });
}

function metadataOf(items: readonly DatasetItem[], room: Room): readonly Contents[] {
  return items.map(({ datasetMetadata: metadata }) =>
    room.take(Buffer.byteLength(JSON.stringify(metadata))) ? { metadata } : {},
  );
}

async function textsOf(domain: Domain, items: readonly DatasetItem[], room: Room): Promise<readonly Contents[]> {
  const contents: Contents[] = [];
  for await (const [, text] of pageTexts(domain, items)) {
    contents.push(room.take(Buffer.byteLength(text)) ? { text } : {});
  }
  return contents;
}
