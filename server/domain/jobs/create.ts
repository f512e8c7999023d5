import { type DatasetId, type JobId, newJobId, type WorkspaceId } from "../ids.ts";
import type { Job, JobType } from "./job.ts";

/** A job that no worker has seen yet; `id` where it has been reserved. */
export function newJob(
  workspaceId: WorkspaceId,
  datasetId: DatasetId,
  type: JobType,
  now: number,
  id: JobId = newJobId(),
): Job {
  return {
    id,
    workspaceId,
    datasetId,
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
  };
}
