import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Drs, FoundItem } from "@drs/client";
import { mapBounded } from "../bounded.ts";
import { documentName } from "../documents/document-name.ts";
import { printable, shorten } from "../output/printable.ts";
import type { Style } from "../terminal/style.ts";

/** A found page with what a person wants to know about it. */
export interface FoundPage extends FoundItem {
  /** From 1. */
  readonly rank: number;
  /** Name of its document; its dataset's id if the key may not read it. */
  readonly fileName: string;
  readonly savedTo?: string;
}

const datasetsAtOnce = 4;
/** Fewer columns of a name do not tell it from others. */
const shortestName = 12;

/** Adds ranks and the names of the documents. */
export async function describeFound(drs: Drs, found: readonly FoundItem[], signal: AbortSignal): Promise<FoundPage[]> {
  const ids = [...new Set(found.map(({ datasetId }) => datasetId))];
  const names = new Map(
    await mapBounded(ids, datasetsAtOnce, async (id) => [id, await documentName(drs, id, signal)] as const),
  );
  return found.map((item, index) => ({
    rank: index + 1,
    fileName: names.get(item.datasetId) ?? item.datasetId,
    ...item,
  }));
}

/** What stands before the name: `10.  0.87  `. Links and pictures begin below the name. */
const indent = 11;

/** `1.  0.87  manual.pdf, page 12`, with the link or the file below. */
export function foundLines({ rank, score, fileName, col, share, savedTo }: FoundPage, style: Style): string[] {
  const room = style.columns === undefined ? Number.POSITIVE_INFINITY : style.columns - indent;
  const page = `, page ${col}`;
  const name = shorten(printable(fileName), Math.max(shortestName, room - page.length));
  // Where the page can be clicked on, its address need not be whole; elsewhere it is copied by hand.
  const url = printable(share.url);
  const target = savedTo === undefined ? share.url : pathToFileURL(resolve(savedTo)).href;
  const address = style.hyperlinks ? style.link(style.colour("gray", shorten(url, room)), share.url) : url;
  return [
    `${String(rank).padStart(2)}.  ${score.toFixed(2)}  ${style.link(style.bold(name + page), target)}`,
    `${" ".repeat(indent)}${savedTo ?? address}`,
  ];
}
