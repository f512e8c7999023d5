import { type Metadata, metadataOf } from "../datasets/metadata.ts";
import { Include as WireInclude, ItemRow as WireRow } from "../gen/drs/v1/enums_pb.ts";
import type { DatasetItem as WireItem } from "../gen/drs/v1/items_pb.ts";
import { type Explanation, explanationOf } from "../search/explanation.ts";
import { type Share, shareOf } from "../shares/share.ts";
import { nameOf, type WireNames } from "../wire-names.ts";

/** The rendition of a page. */
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
  /** Name of the document; empty from older servers. */
  readonly fileName: string;
  /** Number of pages of the document; 0 from older servers. */
  readonly pageCount: number;
  /**
   * With `include: ["text"]`, the page's text layer: empty if it has none, as in a scan; undefined if it did not fit
   * into the response. It never contains words recognised in a picture.
   */
  readonly text?: string;
  /**
   * With `include: ["picture"]`, the page as a JPEG in a data URL; undefined if it did not fit into the response or
   * cannot be rendered.
   */
  readonly picture?: string;
  /** With `include: ["metadata"]`, the metadata of the document; undefined if it did not fit into the response. */
  readonly metadata?: Metadata;
}

/**
 * A box on one line of a page around neighbouring words of the query. Lengths are fractions of the displayed page, 0 to
 * 1, from its upper left corner.
 */
export interface Highlight {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The words in the box, as on the page. */
  readonly text: string;
}

/** An excerpt of a page's text layer around the words of a query, at most about 240 characters. */
export interface Snippet {
  /** The excerpt on one line; "…" marks where the page continues. */
  readonly text: string;
  /**
   * Positions of the words of the query in `text`, in order; empty if the page has none of them, and `text` is its
   * beginning.
   */
  readonly marks: readonly { readonly start: number; readonly length: number }[];
}

/** An item found by a search. */
export interface FoundItem extends Item {
  /** Relevance from 0 to 1. */
  readonly score: number;
  /** With `neighbours`, the pages before and after this one, in order; undefined if there are none. */
  readonly neighbours?: readonly Item[];
  /**
   * With `include: ["highlights"]`, where the words of the query are, the most significant first; undefined if there
   * are none.
   */
  readonly highlights?: readonly Highlight[];
  /**
   * With `include: ["snippet"]`, its text around the words of the query; undefined if it has no text layer, as in a
   * scan.
   */
  readonly snippet?: Snippet;
  /** With `explain`, the reasons for its score. */
  readonly explanation?: Explanation;
}

/** Contents that items can include beside their links. */
export type Include = "text" | "snippet" | "highlights" | "picture" | "metadata";

/** Available widths of pictures in pixels. */
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
