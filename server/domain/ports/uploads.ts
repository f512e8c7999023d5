import type { Dataset, IsTarget } from "../datasets/dataset.ts";
import type { DatasetId, UploadKey, WorkspaceId } from "../ids.ts";
import type { Job } from "../jobs/job.ts";
import type { Replacement, VersionOutcome } from "./datasets.ts";
import type { Upload, UploadEnd, UploadPart } from "../uploads/upload.ts";
import type { Lease } from "./jobs.ts";
import type { ListResult } from "../list.ts";

export interface UploadQuery {
  readonly workspaceId: WorkspaceId;
  readonly offset: number;
  readonly limit: number;
  /** Sessions that have expired at this time are left out. */
  readonly now: number;
}

/** An open session as lists show it. */
export interface UploadSummary {
  readonly upload: Upload;
  readonly partCount: number;
  readonly receivedBytes: number;
}

/** The dataset and job that a session becomes. */
export interface UploadBecome {
  /** The parts that the dataset was assembled from, by number. */
  readonly parts: readonly UploadPart[];
  readonly dataset: Dataset;
  readonly job: Job;
  readonly end: UploadEnd;
  /** Set for a new version; undefined for a new document. */
  readonly replacement?: Replacement | undefined;
}

export interface UploadStore {
  create(upload: Upload): Promise<void>;
  /** Undefined if the session does not exist, belongs to another workspace, or was aborted or has expired. */
  get(workspaceId: WorkspaceId, key: UploadKey, now: number): Promise<Upload | undefined>;
  /** Ordered by number. */
  parts(key: UploadKey): Promise<readonly UploadPart[]>;
  /** Open sessions, newest first. */
  list(query: UploadQuery): Promise<ListResult<UploadSummary>>;
  /**
   * Stores a part, replaces any other part with its number, takes the bytes of the new part off the garbage list and
   * puts those of the replaced one on it, in one transaction. "full": all parts together would be larger than
   * `maxBytes`. "over quota": the organisation's plan has no room for it. "closed": the session is no longer open,
   * or `isTarget` rejects the dataset that it is a new version of.
   */
  putPart(
    key: UploadKey,
    part: UploadPart,
    maxBytes: number,
    now: number,
    isTarget?: IsTarget,
  ): Promise<"entered" | "full" | "over quota" | "closed">;
  /**
   * Ends an open session in one transaction: creates the dataset and its job as `DatasetStore.create` or
   * `createVersion` does, records the end, deletes the parts and puts their bytes on the garbage list. There is
   * always enough quota: the dataset takes over the quota that its parts used. "changed": the session's parts have
   * changed. "closed": it is no longer open.
   */
  end(
    key: UploadKey,
    become: UploadBecome,
    now: number,
  ): Promise<"ended" | "changed" | "closed" | Exclude<VersionOutcome, "created">>;
  /**
   * Removes an open session and puts the bytes of its parts on the garbage list. False if it is not open, or
   * `isTarget` rejects the dataset that it is a new version of.
   */
  abort(workspaceId: WorkspaceId, key: UploadKey, now: number, isTarget?: IsTarget): Promise<boolean>;
  /** Removes expired sessions, open or ended, with their parts; returns their number. */
  sweep(now: number): Promise<number>;
}

/** The properties of a fetched document. */
export type FetchedDocument = Pick<Dataset, "fileName" | "fileExt" | "mimeType" | "fileSize" | "sha256">;

/** Documents that have yet to be fetched: their datasets have no original yet. */
export interface FetchStore {
  /**
   * Creates a dataset without an original, the job that fetches and processes it, and the URL, in one transaction.
   */
  create(dataset: Dataset, job: Job, url: string): Promise<void>;
  /** Does the same for a new version, as `DatasetStore.createVersion` does. */
  createVersion(dataset: Dataset, job: Job, url: string, replacement: Replacement): Promise<VersionOutcome>;
  /** The URL that a dataset's original has yet to be fetched from. */
  get(datasetId: DatasetId): Promise<string | undefined>;
  /**
   * Records the properties of the fetched document, takes its original off the garbage list and deletes the URL, in
   * one transaction. "over quota": the organisation's plan has no room for it. "lost": the lease is lost, or the
   * dataset is gone. Then nothing is recorded.
   */
  done(
    lease: Lease,
    datasetId: DatasetId,
    found: FetchedDocument & { readonly originalKey: string },
    now: number,
  ): Promise<"entered" | "over quota" | "lost">;
}
