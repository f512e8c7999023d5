import type { DatasetMetadata } from "../datasets/metadata.ts";
import type { DatasetId, ItemId } from "../ids.ts";
import { parseDatasetId } from "../ids.ts";

/** Which rendition of a page an item is. */
export const itemRows = ["pdf", "jpg", "embedding_image"] as const;
export type ItemRow = (typeof itemRows)[number];

/** The rows that are rendered from the document, as opposed to read from an index. */
export type RenditionRow = Exclude<ItemRow, "embedding_image">;

/** Names one rendition of one page; page numbers start at 1. */
export interface ItemRef {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly row: ItemRow;
}

export interface DatasetItem extends ItemRef {
  readonly id: ItemId;
  /** The dataset by the id by which callers know it; `datasetId` names this version of its document. */
  readonly publicDatasetId: DatasetId;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  /** Of the document. */
  readonly fileName: string;
  /** Of the document; 0 until it has been opened. */
  readonly pageCount: number;
  /** Of the document; given out where it is asked for. */
  readonly datasetMetadata: DatasetMetadata;
}

const rowLetters: Record<ItemRow, string> = { pdf: "p", jpg: "j", embedding_image: "e" };
const rowsByLetter = new Map(itemRows.map((row) => [rowLetters[row], row]));

// Base 32 in five digits counts 33 million pages and sorts as text in page order.
const pageDigits = 5;

/**
 * Item ids are derived, not stored: `dsx_`, the dataset's ULID, the page in base 32 and a letter for the row.
 * They sort by dataset, page and row, and cannot be guessed without knowing the dataset's id.
 */
export function itemId({ datasetId, page, row }: ItemRef): ItemId {
  const base = datasetId.slice("ds_".length);
  const text = `dsx_${base}${page.toString(32).padStart(pageDigits, "0")}${rowLetters[row]}`;
  if (!isItemId(text)) throw new Error(`page ${page} of ${datasetId} has no item id`);
  return text;
}

const itemIdPattern = /^dsx_(.{26})([0-9a-v]{5})([a-z])$/;
const isItemId = (text: string): text is ItemId => itemIdPattern.test(text);

/** The item that a text from outside names, or undefined if it cannot be an item id. */
export function parseItemId(text: string): ItemRef | undefined {
  const match = itemIdPattern.exec(text);
  const datasetId = parseDatasetId(`ds_${match?.[1]}`);
  const row = rowsByLetter.get(match?.[3] ?? "");
  const page = Number.parseInt(match?.[2] ?? "", 32);
  if (datasetId === undefined || row === undefined || !(page >= 1)) return undefined;
  return { datasetId, page, row };
}
