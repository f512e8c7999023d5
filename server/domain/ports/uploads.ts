import type { Dataset, IsMeant } from "../datasets/dataset.ts";
import type { DatasetId, UploadKey, WorkspaceId } from "../ids.ts";
import type { Job } from "../jobs/job.ts";
import type { Replacement, VersionOutcome } from "./datasets.ts";
import type { Upload, UploadEnd, UploadPart } from "../uploads/upload.ts";
import type { Lease } from "./jobs.ts";
import type { ListResult } from "./list.ts";

export interface UploadQuery {
  readonly workspaceId: WorkspaceId;
  readonly offset: number;
  readonly limit: number;
  /** Sessions that have expired by then are not there. */
  readonly now: number;
}

/** An open session as lists show it. */
export interface UploadSummary {
  readonly upload: Upload;
  readonly partCount: number;
  readonly receivedBytes: number;
}

/** What a session becomes. */
export interface UploadBecome {
  /** The parts that the dataset has been made of, by number. */
  readonly parts: readonly UploadPart[];
  readonly dataset: Dataset;
  readonly job: Job;
  readonly end: UploadEnd;
  /** That it is a new version; undefined: it is a document of its own. */
  readonly replacement?: Replacement | undefined;
}

export interface UploadStore {
  create(upload: Upload): Promise<void>;
  /** Undefined also for another workspace's, an aborted and an expired one. */
  get(workspaceId: WorkspaceId, key: UploadKey, now: number): Promise<Upload | undefined>;
  /** By number. */
  parts(key: UploadKey): Promise<readonly UploadPart[]>;
  /** Those that are open, newest first. */
  list(query: UploadQuery): Promise<ListResult<UploadSummary>>;
  /**
   * Enters a part in the place of any other of its number and takes its bytes off the garbage list, where those of the
   * other go, in one transaction. "full": all parts together would be larger than `maxBytes`. "over quota": the
   * organisation's plan has none for it. "closed": the session is not open any more, or the dataset whose new version it is to
   * become is not meant.
   */
  putPart(
    key: UploadKey,
    part: UploadPart,
    maxBytes: number,
    now: number,
    isMeant?: IsMeant,
  ): Promise<"entered" | "full" | "over quota" | "closed">;
  /**
   * Ends an open session: creates the dataset and its job as `DatasetStore.create` or `createVersion` does, notes the end, forgets the
   * parts and puts their bytes on the garbage list, in one transaction. There is always room: the dataset takes that of
   * its parts. "changed": the session has other parts than these by now. "closed": it is not open any more.
   */
  end(
    key: UploadKey,
    become: UploadBecome,
    now: number,
  ): Promise<"ended" | "changed" | "closed" | Exclude<VersionOutcome, "created">>;
  /** Removes an open session and puts the bytes of its parts on the garbage list. False if it is not open, or the dataset whose new version it is to become is not meant. */
  abort(workspaceId: WorkspaceId, key: UploadKey, now: number, isMeant?: IsMeant): Promise<boolean>;
  /** Removes the sessions that have expired, open or ended, with what they hold; how many. */
  sweep(now: number): Promise<number>;
}

/** What a fetched document turned out to be. */
export type FetchedDocument = Pick<Dataset, "fileName" | "fileExt" | "mimeType" | "fileSize" | "sha256">;

/** Documents that are still to be fetched: their datasets have no original yet. */
export interface FetchStore {
  /** Creates a dataset without an original, the job that fetches and works on it, and the address, in one transaction. */
  create(dataset: Dataset, job: Job, url: string): Promise<void>;
  /** The same of a new version, as `DatasetStore.createVersion` does. */
  createVersion(dataset: Dataset, job: Job, url: string, replacement: Replacement): Promise<VersionOutcome>;
  /** The address that a dataset's original is still to come from. */
  get(datasetId: DatasetId): Promise<string | undefined>;
  /**
   * Enters what the fetched document is, takes its original off the garbage list and forgets the address, in one
   * transaction. "over quota": the organisation's plan has none for it. "lost": the lease is, or the dataset is gone. Then
   * nothing is entered.
   */
  done(
    lease: Lease,
    datasetId: DatasetId,
    found: FetchedDocument & { readonly originalKey: string },
    now: number,
  ): Promise<"entered" | "over quota" | "lost">;
}
