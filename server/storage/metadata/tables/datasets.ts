import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../../../domain/ids.ts";
import type { JobType } from "../../../domain/jobs/job.ts";

/** A row is a dataset, column by field. */
export type DatasetTable = Dataset;

/** An upload in parts. It is open as long as `jobId` is null. */
export interface UploadTable {
  key: UploadKey;
  workspaceId: WorkspaceId;
  fileName: string;
  jobType: JobType;
  expiryInDays: number | null;
  fileSize: number | null;
  createdAt: number;
  expiresAt: number;
  jobId: JobId | null;
  partsDigest: string | null;
  /** Of the parts that it has while it is open. */
  partCount: number;
  receivedBytes: number;
  /** Of the job that it becomes; null: none. */
  callbackUrl: string | null;
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
