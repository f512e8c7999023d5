import type { Generated } from "kysely";
import type { DatasetId, JobId, OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { JobStage, JobStatus, JobType } from "../../../domain/jobs/job.ts";

/** A job and, in the same row, its state in the queue. A job is unfinished while `finishedAt` is null. */
export interface JobTable {
  id: JobId;
  workspaceId: WorkspaceId;
  datasetId: DatasetId;
  /** The id under which callers know the dataset; null if that is `datasetId`. */
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
  /** The process that has claimed the job; null if none has. */
  leaseOwner: string | null;
  /** Identifies the claim. */
  claimToken: string | null;
  /** Not cleared when a claim is ended, because its owner may continue to work until it notices this. */
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
  /** 0 if the job finished so long ago that lists leave it out. */
  isListed: Generated<number>;
  /** The span of the request that put the job into the queue (W3C Trace Context); null if there was none. */
  traceparent: string | null;
  /** The address that is called when the job ends; null if there is none. */
  callbackUrl: string | null;
  /** Scheme, host and port of `callbackUrl`. */
  callbackOrigin: string | null;
}

/** Pages that were in flight when the lease of a claim expired. */
export interface SuspectPageTable {
  jobId: JobId;
  page: number;
}

/**
 * A workspace in the line because it has unfinished jobs. After its last job has ended, the row stays until a worker
 * notices.
 */
export interface TurnTable {
  workspaceId: WorkspaceId;
  organisationId: OrganisationId;
  /** When a job of the workspace was last claimed, by the store's clock; 0 if never. */
  servedAt: number;
  /** When the job that put the workspace into the line was created. */
  since: number;
}

/** When an organisation was last served, and whether it has workspaces in the line. */
export interface OrganisationTurnTable {
  organisationId: OrganisationId;
  /** When a job of the organisation was last claimed, by the store's clock; 0 if never. */
  servedAt: number;
  /**
   * When the job that put the organisation into the line was created; null if the organisation is not in the line.
   * After its last job has ended, it stays in the line until a worker notices.
   */
  since: number | null;
}
