import type { ColumnType } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";

export interface PageTable {
  datasetId: DatasetId;
  page: number;
  width: number;
  height: number;
  /** Why the page cannot be read. */
  failure: string | null;
  /** Why a page that can be read cannot be embedded. */
  embedFailure: string | null;
  /** Why a page that can be read cannot be rendered. */
  renderFailure: string | null;
  createdAt: number;
  embeddedAt: number | null;
  /** Names of spaces in which an embedded page has nothing, and so no row; comma-separated. */
  absentFrom: ColumnType<string, string | undefined>;
}

/** Apart from `pages`, so that listing pages does not read past their words. Pages without words have no row. */
export interface PageWordsTable {
  datasetId: DatasetId;
  page: number;
  /** Compressed, see words.ts. */
  words: ColumnType<Uint8Array>;
}

/** Kept by triggers on `pages`: only to be read, and to be removed with them. */
export interface PageCountTable {
  datasetId: DatasetId;
  /** The page number divided by a thousand, rounded down. */
  block: number;
  readable: number;
  /** Of the readable ones. */
  embedded: number;
  /** No page was read earlier, or later; null: not known. */
  firstCreatedAt: number | null;
  lastCreatedAt: number | null;
  /** The same of their embedding. */
  firstEmbeddedAt: number | null;
  lastEmbeddedAt: number | null;
}

export interface RenditionTable {
  key: string;
  datasetId: DatasetId;
  size: number;
  lastUsedAt: number;
}
