import type { DatasetMetadata } from "../datasets/metadata.ts";
import { type DatasetId, type ItemId, parseDatasetId } from "../ids.ts";

/** Kinds of rendition of a page. */
export const itemRows = ["pdf", "jpg", "embedding_image"] as const;
export type ItemRow = (typeof itemRows)[number];

/** Rows that are rendered from the document, as opposed to read from an index. */
export type RenditionRow = Exclude<ItemRow, "embedding_image">;

/** Identifies one rendition of one page; page numbers start at 1. */
export interface ItemRef {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly row: ItemRow;
}

export interface DatasetItem extends ItemRef {
  readonly id: ItemId;
  /** The id by which callers know the dataset; `datasetId` identifies this version of its document. */
  readonly publicDatasetId: DatasetId;
  /** Milliseconds since the epoch, UTC. */
  readonly createdAt: number;
  /** File name of the document. */
  readonly fileName: string;
  /** Page count of the document; 0 until it has been opened. */
  readonly pageCount: number;
  /** Metadata of the document; returned only on request. */
  readonly datasetMetadata: DatasetMetadata;
}

const rowLetters: Record<ItemRow, string> = { pdf: "p", jpg: "j", embedding_image: "e" };
const rowsByLetter = new Map(itemRows.map((row) => [rowLetters[row], row]));

// Five base-32 digits count to 33 million pages and sort as text in page order.
const pageDigits = 5;

/**
 * Item ids are derived, not stored: `dsx_`, the dataset's ULID, the page in base 32 and a letter for the row. They
 * sort by dataset, page and row, and cannot be guessed without knowing the dataset's id.
 */
export function itemId({ datasetId, page, row }: ItemRef): ItemId {
  const base = datasetId.slice("ds_".length);
  const text = `dsx_${base}${page.toString(32).padStart(pageDigits, "0")}${rowLetters[row]}`;
  if (!isItemId(text)) throw new Error(`page ${page} of ${datasetId} has no item id`);
  return text;
}

const itemIdPattern = /^dsx_(.{26})([0-9a-v]{5})([a-z])$/;
const isItemId = (text: string): text is ItemId => itemIdPattern.test(text);

/** Parses an item id from outside; undefined if it is none. */
export function parseItemId(text: string): ItemRef | undefined {
  const match = itemIdPattern.exec(text);
  const datasetId = parseDatasetId(`ds_${match?.[1]}`);
  const row = rowsByLetter.get(match?.[3] ?? "");
  const page = Number.parseInt(match?.[2] ?? "", 32);
  if (datasetId === undefined || row === undefined || !(page >= 1)) return undefined;
  return { datasetId, page, row };
}

/** A box around words of the query on one line of a page. Lengths are fractions of the displayed page, 0 to 1. */
export interface Highlight {
  /** Position of the upper left corner, from the left and from the top. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The words in the box, as they are on the page. */
  readonly text: string;
}

/**
 * Supported widths of page pictures, pixels: few, so that all readers share the same cached ones. Models accept
 * pictures up to 1568 or 2000.
 */
export const pictureWidths = [256, 512, 1024, 1568, 2000] as const;
export type PictureWidth = (typeof pictureWidths)[number];

export const isPictureWidth = (value: number): value is PictureWidth => pictureWidths.some((width) => width === value);
