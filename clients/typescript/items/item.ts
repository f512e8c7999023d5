import { type Metadata, metadataOf } from "../datasets/metadata.ts";
import { Include as WireInclude, ItemRow as WireRow } from "../gen/drs/v1/enums_pb.ts";
import type { DatasetItem as WireItem } from "../gen/drs/v1/items_pb.ts";
import { type Explanation, explanationOf } from "../search/explanation.ts";
import { type Share, shareOf } from "../shares/share.ts";
import { nameOf, type WireNames } from "../wire-names.ts";

/** Which rendition of a page an item is. */
export type ItemRow = "pdf" | "jpg" | "embedding_image";

/** One rendition of one page. */
export interface Item {
  readonly id: string;
  readonly datasetId: string;
  /** Page number, from 1. */
  readonly col: number;
  readonly row: ItemRow;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  readonly share: Share;
  /** Name of the document; empty from servers that do not send it yet. */
  readonly fileName: string;
  /** Number of pages of the document; 0 from servers that do not send it yet. */
  readonly pageCount: number;
  /**
   * With `include: ["text"]` the page's text layer: empty where it has none, as a scan, undefined where it no longer fits into
   * the answer. It never has words that were read off a picture.
   */
  readonly text?: string;
  /**
   * With `include: ["picture"]` the page as a JPEG in a data URL; undefined where it no longer fits into the answer, and of a
   * page that cannot be drawn.
   */
  readonly picture?: string;
  /** With `include: ["metadata"]` what is said of the document; undefined where it no longer fits into the answer. */
  readonly metadata?: Metadata;
}

/**
 * A box on one line of a page that has neighbouring words of the question. Lengths are fractions of the page as it is shown, 0
 * to 1, from its upper left corner.
 */
export interface Highlight {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The words in the box, as the page has them. */
  readonly text: string;
}

/** A stretch of a page's text layer around the words of a question, at most some 240 characters. */
export interface Snippet {
  /** On one line; "…" stands where the page goes on. */
  readonly text: string;
  /** Where `text` has words of the question, in its order; empty: the page has none of them, and `text` is its beginning. */
  readonly marks: readonly { readonly start: number; readonly length: number }[];
}

/** An item that a search has found. */
export interface FoundItem extends Item {
  /** Relevance from 0 to 1. */
  readonly score: number;
  /** With `neighbours`, the pages before and after this one, in their order; undefined where there are none. */
  readonly neighbours?: readonly Item[];
  /** With `include: ["highlights"]`, where it has the words of the question, those that say most first; undefined: nowhere. */
  readonly highlights?: readonly Highlight[];
  /** With `include: ["snippet"]`, its text around the words of the question; undefined where it has no text layer, as a scan. */
  readonly snippet?: Snippet;
  /** With `explain`, why it has its score. */
  readonly explanation?: Explanation;
}

/** What items can bring along beside their links. */
export type Include = "text" | "snippet" | "highlights" | "picture" | "metadata";

/** Widths in pixels that pictures can be asked for in. */
export type PictureWidth = 256 | 512 | 1024 | 1568 | 2000;

export const itemRows: WireNames<ItemRow, WireRow> = [
  ["pdf", WireRow.PDF],
  ["jpg", WireRow.JPG],
  ["embedding_image", WireRow.EMBEDDING_IMAGE],
];

export const includes: WireNames<Include, WireInclude> = [
  ["text", WireInclude.TEXT],
  ["snippet", WireInclude.SNIPPET],
  ["highlights", WireInclude.HIGHLIGHTS],
  ["picture", WireInclude.PICTURE],
  ["metadata", WireInclude.METADATA],
];

export function itemOf(wire: WireItem): Item {
  return {
    id: wire.id,
    datasetId: wire.datasetId,
    col: wire.col,
    row: nameOf(itemRows, wire.row),
    createdAt: wire.createdAt,
    share: shareOf(wire.share),
    fileName: wire.fileName,
    pageCount: wire.pageCount,
    ...(wire.text !== undefined && { text: wire.text }),
    ...(wire.picture !== undefined && { picture: wire.picture }),
    ...(wire.metadata && { metadata: metadataOf(wire.metadata) }),
  };
}

export function foundItemOf(wire: WireItem): FoundItem {
  const { score = 0, neighbours, explanation, highlights, snippet } = wire;
  return {
    ...itemOf(wire),
    score,
    ...(neighbours.length > 0 && { neighbours: neighbours.map(itemOf) }),
    ...(highlights.length > 0 && {
      highlights: highlights.map(({ x, y, width, height, text }) => ({ x, y, width, height, text })),
    }),
    ...(snippet && {
      snippet: { text: snippet.text, marks: snippet.marks.map(({ start, length }) => ({ start, length })) },
    }),
    ...(explanation && { explanation: explanationOf(explanation) }),
  };
}
