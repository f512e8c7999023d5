import type { ColumnType } from "kysely";
import type { Dataset, DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../../../domain/ids.ts";
import type { JobType } from "../../../domain/jobs/job.ts";

/** A row is a dataset, column by field. */
export interface DatasetTable extends Omit<Dataset, "metadata" | "type" | "warnings"> {
  /** `pending`: a new version of another dataset, which nothing but its job sees. */
  type: DatasetType | "pending";
  /** JSON. */
  metadata: string;
  /** JSON, as `DocumentWarning` has them; null: not known. */
  warnings: string | null;
  /** 1: searches find a page of it. Kept by triggers on `indices` and `pageCounts`: only to be read. */
  isSearchable: ColumnType<number, undefined, never>;
}

/** A value of a field of a dataset's metadata; an empty list has one row, of the type `none`. */
export interface MetadataValueTable {
  datasetId: DatasetId;
  field: string;
  /** Which of the field's values it is. */
  place: number;
  workspaceId: WorkspaceId;
  type: "text" | "number" | "truth" | "none";
  /** 0 or 1 for a truth value, 0 for what is no number. */
  number: number;
  /** Empty for what is no text. */
  text: string;
  /** 1: it is one of a list; 0: the field has no other. */
  isList: number;
}

/** An upload in parts. It is open as long as `jobId` is null. */
export interface UploadTable {
  key: UploadKey;
  workspaceId: WorkspaceId;
  fileName: string;
  jobType: JobType;
  expiryInDays: number | null;
  fileSize: number | null;
  /** JSON, of the dataset that it becomes. */
  metadata: string;
  createdAt: number;
  expiresAt: number;
  jobId: JobId | null;
  partsDigest: string | null;
  /** Of the parts that it has while it is open. */
  partCount: number;
  receivedBytes: number;
  /** Of the job that it becomes; null: none. */
  callbackUrl: string | null;
  /** The dataset whose new version it becomes; null: it becomes a dataset. */
  versionOf: DatasetId | null;
}

export interface UploadPartTable {
  uploadKey: UploadKey;
  partNumber: number;
  etag: string;
  size: number;
  blobKey: string;
}

/** The address from which the original of a dataset is still to be fetched. */
export interface FetchTable {
  datasetId: DatasetId;
  url: string;
}

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
  /** Compressed, see documents/page-rows.ts. */
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
