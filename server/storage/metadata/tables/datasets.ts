import type { ColumnType } from "kysely";
import type { Dataset, DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../../../domain/ids.ts";
import type { JobType } from "../../../domain/jobs/job.ts";

/** A dataset, with a column for each field. */
export interface DatasetTable extends Omit<Dataset, "metadata" | "type" | "warnings"> {
  /** `pending` for a new version of another dataset; only the job that reads it sees the row. */
  type: DatasetType | "pending";
  /** The metadata as JSON. */
  metadata: string;
  /** JSON of `DocumentWarning`s; null if not known. */
  warnings: string | null;
  /** 1 if searches find pages of the dataset. Triggers on `indices` and `pageCounts` maintain it. Read only. */
  isSearchable: ColumnType<number, undefined, never>;
}

/** A value of a field of a dataset's metadata. An empty list has one row of type `none`. */
export interface MetadataValueTable {
  datasetId: DatasetId;
  field: string;
  /** Index of the value within the field. */
  place: number;
  workspaceId: WorkspaceId;
  type: "text" | "number" | "truth" | "none";
  /** The number; 0 or 1 for a truth value; 0 for all other types. */
  number: number;
  /** The text; empty if the value is not text. */
  text: string;
  /** 1 if the value is an element of a list; 0 if it is the only value of the field. */
  isList: number;
}

/** An upload in parts. It is open while `jobId` is null. */
export interface UploadTable {
  key: UploadKey;
  workspaceId: WorkspaceId;
  fileName: string;
  jobType: JobType;
  expiryInDays: number | null;
  fileSize: number | null;
  /** Metadata of the future dataset, as JSON. */
  metadata: string;
  createdAt: number;
  expiresAt: number;
  jobId: JobId | null;
  partsDigest: string | null;
  /** Number of received parts while the upload is open. */
  partCount: number;
  receivedBytes: number;
  /** Callback address of the future job; null if there is none. */
  callbackUrl: string | null;
  /** The dataset for which the upload is a new version; null if it becomes a dataset of its own. */
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
  /** Why the page cannot be read; null if it can. */
  failure: string | null;
  /** Why a readable page cannot be embedded; null if it can. */
  embedFailure: string | null;
  /** Why a readable page cannot be rendered; null if it can. */
  renderFailure: string | null;
  createdAt: number;
  embeddedAt: number | null;
  /** Comma-separated names of spaces in which an embedded page has no row. */
  absentFrom: ColumnType<string, string | undefined>;
}

/**
 * A separate table, so that a listing of pages does not have to read past their words. Pages without words have no row.
 */
export interface PageWordsTable {
  datasetId: DatasetId;
  page: number;
  /** Compressed, see `documents/page-rows.ts`. */
  words: ColumnType<Uint8Array>;
}

/** Triggers on `pages` maintain these rows, which are removed with the pages. Otherwise read only. */
export interface PageCountTable {
  datasetId: DatasetId;
  /** The page number divided by a thousand, rounded down. */
  block: number;
  readable: number;
  /** Number of readable pages that are embedded. */
  embedded: number;
}

export interface RenditionTable {
  key: string;
  datasetId: DatasetId;
  size: number;
  lastUsedAt: number;
}
