import type { Generated } from "kysely";
import type { DatasetId, JobId, OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { JobStage, JobStatus, JobType } from "../../../domain/jobs/job.ts";

/** A job and, in the same row, its place in the queue. A job is unfinished as long as `finishedAt` is null. */
export interface JobTable {
  id: JobId;
  workspaceId: WorkspaceId;
  datasetId: DatasetId;
  /** The id by which callers know the dataset; null: its own. */
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
  /** The process that has claimed the job; null: none. */
  leaseOwner: string | null;
  /** Names the claim. */
  claimToken: string | null;
  /** Kept when the lease is taken away, because its owner may be at work until it notices. */
  leaseUntil: number | null;
  /** Page numbers, comma-separated; empty when none is being worked on. */
  inFlight: string;
  /** The job is not claimed before; null: it may be at once. */
  retryAt: number | null;
  /** How often the job was given back because it failed for a reason that may pass. */
  tries: number;
  /** How often the finished job was asked to run again. */
  reruns: number;
  /** 1: the next run forgets the pages that failed and tries them again. */
  retriesFailures: number;
  /** 0: it finished so long ago that lists leave it out. */
  isListed: Generated<number>;
  /** The span of the request that put the job into the queue (W3C Trace Context); null: there was none. */
  traceparent: string | null;
  /** Told when the job ends; null: nobody asked for it. */
  callbackUrl: string | null;
  /** Scheme, host and port of that. */
  callbackOrigin: string | null;
}

/** Pages that were in flight when the lease of a claim ran out. */
export interface SuspectPageTable {
  jobId: JobId;
  page: number;
}

/** A workspace with unfinished jobs; when the last one has ended it stays until a worker finds that out. */
export interface TurnTable {
  workspaceId: WorkspaceId;
  organisationId: OrganisationId;
  /** When a job of it was claimed last, by the store's clock; 0: never. */
  servedAt: number;
  /** When the job came that brought it into the line. */
  since: number;
}

/** When an organisation was served, and whether it has workspaces in the line. */
export interface OrganisationTurnTable {
  organisationId: OrganisationId;
  /** When a job of it was claimed last, by the store's clock; 0: never. */
  servedAt: number;
  /** When the job came that brought it into the line; null: it is in none. After its last job it stays until a worker finds that out. */
  since: number | null;
}
