import type { Domain } from "../domain.ts";
import type { DatasetItem } from "./item.ts";

/** What items can bring along beside their links. */
export const inclusions = ["text"] as const;
export type Inclusion = (typeof inclusions)[number];

/** What an item brings along, where that was asked for and the answer has room for it. */
export interface Contents {
  /** The page's text layer, never words that were read off a picture; empty: it has none. */
  readonly text?: string;
}

/** Of the contents of one answer together, bytes. An agent's context is smaller; a message of gRPC may be larger. */
const maxContentBytes = 8 * 2 ** 20;

interface ContentsAsked {
  /** The best first: what no longer fits is left out. */
  readonly items: readonly DatasetItem[];
  readonly include: readonly Inclusion[];
}

/** What each of the items brings along, in their order. */
export async function contentsOf(
  domain: Pick<Domain, "metadata">,
  { items, include }: ContentsAsked,
): Promise<readonly Contents[]> {
  const room = createRoom(maxContentBytes);
  return include.includes("text") ? textsOf(domain, items, room) : items.map(() => ({}));
}

/** The room of an answer. */
interface Room {
  /** Takes so many bytes of it; false, and nothing is taken: there are not as many left. */
  take(bytes: number): boolean;
}

function createRoom(bytes: number): Room {
  let left = bytes;
  return {
    take(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
  };
}

/** Pages of one document that are read together; more would be held in memory for nothing where there is no room. */
const maxTogether = 10;

async function textsOf(
  { metadata }: Pick<Domain, "metadata">,
  items: readonly DatasetItem[],
  room: Room,
): Promise<readonly Contents[]> {
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
