import { type DatasetId, type JobId, newJobId, type WorkspaceId } from "../ids.ts";
import type { Job, JobType } from "./job.ts";

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
