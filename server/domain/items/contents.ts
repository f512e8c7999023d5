import type { Domain } from "../domain.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import type { Highlight } from "./highlight.ts";
import type { DatasetItem } from "./item.ts";
import { defaultPictureWidth, picturesOf } from "./pictures.ts";
import { createRoom, type Room } from "./room.ts";

/** What items can bring along beside their links. */
export const inclusions = ["text", "highlights", "picture"] as const;
export type Inclusion = (typeof inclusions)[number];

/** What an item brings along, where that was asked for and the answer has room for it. */
export interface Contents {
  /** The page's text layer, never words that were read off a picture; empty: it has none. */
  readonly text?: string;
  /** Where its text layer has the words of the question, those that say most first. */
  readonly highlights?: readonly Highlight[];
  /** The page as a JPEG in a data URL; absent also where it cannot be drawn. */
  readonly picture?: string;
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

/** What each of the items brings along, in their order. Texts, which are small, come before pictures. */
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
  const texts = include.includes("text") ? await textsOf(domain, items, room) : [];
  const pictures = include.includes("picture")
    ? await picturesOf(domain, { items: pictured, width, room, signal })
    : new Map<DatasetItem, string>();
  return items.map((item, index) => {
    const picture = pictures.get(item);
    return { ...texts[index], ...(picture !== undefined && { picture }) };
  });
}

/** Pages of one document that are read together; more would be held in memory for nothing where there is no room. */
const maxTogether = 10;

async function textsOf({ metadata }: Domain, items: readonly DatasetItem[], room: Room): Promise<readonly Contents[]> {
  const contents: Contents[] = [];
  for (const [datasetId, pages] of runsOf(items)) {
    const words = await metadata.pages.words(datasetId, pages);
    for (const page of pages) {
      const text = words.get(page) ?? "";
      contents.push(room.take(Buffer.byteLength(text)) ? { text } : {});
    }
  }
  return contents;
}

/** Items of one dataset that follow each other. */
function runsOf(items: readonly DatasetItem[]): readonly (readonly [DatasetItem["datasetId"], readonly number[]])[] {
  const runs: [DatasetItem["datasetId"], number[]][] = [];
  for (const { datasetId, page } of items) {
    const [lastId, lastPages] = runs.at(-1) ?? [];
    if (lastId === datasetId && lastPages !== undefined && lastPages.length < maxTogether) lastPages.push(page);
    else runs.push([datasetId, [page]]);
  }
  return runs;
}
