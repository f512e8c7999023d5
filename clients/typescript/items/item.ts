import { ItemRow as WireRow } from "../gen/drs/v1/enums_pb.ts";
import type { DatasetItem as WireItem } from "../gen/drs/v1/items_pb.ts";
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
}

/** An item that a search has found. */
export interface FoundItem extends Item {
  /** Relevance from 0 to 1. */
  readonly score: number;
}

export const itemRows: WireNames<ItemRow, WireRow> = [
  ["pdf", WireRow.PDF],
  ["jpg", WireRow.JPG],
  ["embedding_image", WireRow.EMBEDDING_IMAGE],
];

export function itemOf(wire: WireItem): Item {
  return {
    id: wire.id,
    datasetId: wire.datasetId,
    col: wire.col,
    row: nameOf(itemRows, wire.row),
    createdAt: wire.createdAt,
    share: shareOf(wire.share),
  };
}
