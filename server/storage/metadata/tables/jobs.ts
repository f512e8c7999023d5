import type { Generated } from "kysely";
import type { DatasetId, JobId, OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { JobStage, JobStatus, JobType } from "../../../domain/jobs/job.ts";

/** A job and, in the same row, its state in the queue. A job is unfinished while `finishedAt` is null. */
export interface JobTable {
  id: JobId;
  workspaceId: WorkspaceId;
  datasetId: DatasetId;
  /** The id that callers know the dataset by; null if that is `datasetId`. */
  versionOf: DatasetId | null;
  type: JobType;
  status: JobStatus;
  statusText: string | null;
  stage: JobStage;
  pagesDone: number;
  pagesTotal: number;
  /** Bytes fetched so far; null unless the document is being fetched. */
  bytesDone: number | null;
  bytesTotal: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  canceledAt: number | null;
  createdAt: number;
  updatedAt: number | null;
  revision: number;
  /** The process that has claimed the job; null if there is none. */
  leaseOwner: string | null;
  /** Names the claim. */
  claimToken: string | null;
  /** Kept when the lease is taken away, because its owner may work until it notices. */
  leaseUntil: number | null;
  /** Comma-separated numbers of the pages in progress; empty if there are none. */
  inFlight: string;
  /** Time before which the job is not claimed; null if it may be claimed at once. */
  retryAt: number | null;
  /** How often the job was released because of a transient failure. */
  tries: number;
  /** How often a rerun of the finished job was requested. */
  reruns: number;
  /** 1 if the next run retries the pages that failed. */
  retriesFailures: number;
  /** 0 if it finished so long ago that lists leave it out. */
  isListed: Generated<number>;
  /** The span of the request that put the job into the queue (W3C Trace Context); null if there was none. */
  traceparent: string | null;
  /** The address that is called when the job ends; null if there is none. */
  callbackUrl: string | null;
  /** Scheme, host and port of `callbackUrl`. */
  callbackOrigin: string | null;
}

/** Pages that were in flight when the lease of a claim ran out. */
export interface SuspectPageTable {
  jobId: JobId;
  page: number;
}

/** A workspace with unfinished jobs. When the last one has ended, it stays until a worker notices. */
export interface TurnTable {
  workspaceId: WorkspaceId;
  organisationId: OrganisationId;
  /** When a job of it was last claimed, by the store's clock; 0 if never. */
  servedAt: number;
  /** When the job came that put the workspace into the line. */
  since: number;
}

/** When an organisation was last served, and whether it has workspaces in the line. */
export interface OrganisationTurnTable {
  organisationId: OrganisationId;
  /** When a job of it was last claimed, by the store's clock; 0 if never. */
  servedAt: number;
  /**
   * When the job came that put the organisation into the line; null if it is not in the line. After its last job it
   * stays until a worker notices.
   */
  since: number | null;
}
