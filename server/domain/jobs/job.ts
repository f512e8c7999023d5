import { type DatasetId, type JobId, newJobId, type WorkspaceId } from "../ids.ts";

const jobTypes = ["datasets/extract", "datasets/vectorize"] as const;
export type JobType = (typeof jobTypes)[number];

export const jobStatuses = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS", "SUCCESS", "ERROR"] as const;
export type JobStatus = (typeof jobStatuses)[number];

const jobStages = ["queue", "fetch", "convert", "read", "render", "embed", "index", "done"] as const;
export type JobStage = (typeof jobStages)[number];

export interface JobProgress {
  readonly stage: JobStage;
  readonly pagesDone: number;
  /** 0 until the document has been opened. */
  readonly pagesTotal: number;
  /** Set while the document is fetched; otherwise undefined. */
  readonly bytes?: ByteProgress | undefined;
}

/** How much of a file has been received. */
export interface ByteProgress {
  readonly done: number;
  /** Undefined if the remote server did not announce it. */
  readonly total: number | undefined;
}

export interface PageFailure {
  readonly page: number;
  /** Written for the document's owner. */
  readonly reason: string;
}

/** A piece of asynchronous work on one dataset. Times are milliseconds since the epoch, UTC. */
export interface Job {
  readonly id: JobId;
  readonly workspaceId: WorkspaceId;
  readonly datasetId: DatasetId;
  /** The id by which callers know the dataset; null if it is `datasetId`. */
  readonly versionOf: DatasetId | null;
  readonly type: JobType;
  readonly status: JobStatus;
  readonly statusText: string | null;
  readonly progress: JobProgress;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly canceledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** Incremented by one with every change of the row. */
  readonly revision: number;
  /** `traceparent` header (W3C) of the request that queued the job; null if there was none. */
  readonly traceparent: string | null;
  /** Notified each time the job ends; null for nobody. */
  readonly callbackUrl: string | null;
}

/** The id by which callers know the dataset of a job. */
export const publicDatasetId = ({ datasetId, versionOf }: Pick<Job, "datasetId" | "versionOf">): DatasetId =>
  versionOf ?? datasetId;

export function isFinished(job: Pick<Job, "status">): boolean {
  return job.status === "SUCCESS" || job.status === "ERROR";
}

interface Origin {
  /** A reserved id; undefined for a new one. */
  readonly id?: JobId | undefined;
  /** Trace context of the active span; none by default. */
  readonly traceparent?: string | null;
  /** None by default. */
  readonly callbackUrl?: string | null;
  /** The id by which callers know the dataset; its own by default. */
  readonly versionOf?: DatasetId | null;
}

/** Creates a job that no worker has seen yet. */
export function newJob(
  workspaceId: WorkspaceId,
  datasetId: DatasetId,
  type: JobType,
  now: number,
  { id = newJobId(), traceparent = null, callbackUrl = null, versionOf = null }: Origin = {},
): Job {
  return {
    id,
    workspaceId,
    datasetId,
    versionOf,
    type,
    status: "NOT_STARTED",
    statusText: null,
    progress: { stage: "queue", pagesDone: 0, pagesTotal: 0 },
    startedAt: null,
    finishedAt: null,
    canceledAt: null,
    createdAt: now,
    updatedAt: null,
    revision: 1,
    traceparent,
    callbackUrl,
  };
}
