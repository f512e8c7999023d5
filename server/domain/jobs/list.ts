import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import { viewOf } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import type { JobStatus } from "./job.ts";
import { type JobView, viewJobs } from "./view.ts";

/** Finished jobs stay in the list for a day. */
export const finishedVisibleMs = 24 * 3_600_000;

export interface ListJobsInput {
  readonly statuses: readonly JobStatus[];
  readonly offset: number;
  readonly limit: number | undefined;
}

export interface JobList {
  readonly sort: readonly string[];
  readonly total: number;
  readonly limit: number;
  readonly data: readonly JobView[];
}

/** Lists recent jobs of the datasets that the caller sees, newest first. */
export async function listJobs(
  { metadata, clock }: Domain,
  { caller, input }: { caller: Caller; input: ListJobsInput },
): Promise<JobList> {
  const { offset, limit = defaultLimit, statuses } = input;
  const finishedSince = clock() - finishedVisibleMs;
  const { total, data } = await metadata.jobs.list({
    workspaceId: caller.workspaceId,
    statuses,
    offset,
    limit,
    finishedSince,
    filter: viewOf(caller),
  });
  return { sort: ["-createdAt"], total, limit, data: await viewJobs(metadata, data) };
}
