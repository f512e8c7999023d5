import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/read.ts";
import { sees, viewOf } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseJobId } from "../ids.ts";
import { isFinished, type Job, type JobStatus, publicDatasetId } from "./job.ts";
import { type JobView, viewJob, viewJobs } from "./view.ts";

export async function getJob(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<JobView> {
  return viewJob(domain.metadata, await findJob(domain, caller, input.id));
}

/**
 * Finds the caller's job. Throws `not_found` if it is unknown or the caller may not see it. A caller who is bound to
 * a filter sees a job only while its dataset exists and passes the filter.
 */
export async function findJob(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  caller: Caller,
  id: string,
): Promise<Job> {
  const jobId = parseJobId(id);
  const job = jobId && (await metadata.jobs.get(caller.workspaceId, jobId));
  if (job === undefined) throw noSuchJob(id);
  if (caller.filter !== undefined) {
    const dataset = await metadata.datasets.get(caller.workspaceId, publicDatasetId(job), clock());
    if (dataset === undefined || !sees(caller, dataset)) throw noSuchJob(id);
  }
  return job;
}

export const noSuchJob = (id: string): Error =>
  notFound(`there is no job ${JSON.stringify(id)} in this workspace`, { reason: "JOB_NOT_FOUND" });

/** Finished jobs stay in the list for a day. */
export const finishedVisibleMs = 24 * 3_600_000;

interface ListJobsInput {
  readonly statuses: readonly JobStatus[];
  readonly offset: number;
  readonly limit: number | undefined;
}

interface JobList {
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

/** Prevents proxies and clients from taking a quiet stream for a dead one. */
const heartbeatMs = 15_000;

/**
 * Yields the states of a job: the present one (unless it is `afterRevision`), each change, the same state again
 * after 15 quiet seconds, and the final one at the end. Resuming after a lost connection loses nothing, since every
 * state is complete. If changes come faster than they are consumed, only the latest is yielded. Throws `not_found`,
 * and `unauthenticated` once the caller's key has been revoked or the member removed.
 */
export async function* watchJob(
  { metadata, clock, jobFeed, standing }: Pick<Domain, "metadata" | "clock" | "jobFeed" | "standing">,
  {
    caller,
    input,
    signal: stop,
  }: { caller: Caller; input: { id: string; afterRevision: string }; signal: AbortSignal },
): AsyncGenerator<JobView> {
  const jobId = parseJobId(input.id);
  if (jobId === undefined) throw noSuchJob(input.id);
  if (caller.filter !== undefined) await findJob({ metadata, clock }, caller, input.id);
  const followedCaller = standing.follow(caller);
  const signal = AbortSignal.any([stop, followedCaller.signal]);
  try {
    const followed = await jobFeed.follow(caller.workspaceId, jobId, signal);
    if (followed === undefined) throw noSuchJob(input.id);
    // If the dataset is gone, so is the job, and there is nothing left to check.
    const requireSeen = async (job: JobView): Promise<void> => {
      if (caller.filter === undefined) return;
      const dataset = await metadata.datasets.get(caller.workspaceId, publicDatasetId(job), clock());
      if (dataset !== undefined && !sees(caller, dataset)) throw noSuchJob(input.id);
    };
    const present = (): JobView => {
      if (followed.state === undefined) throw noSuchJob(input.id);
      return followed.state;
    };
    try {
      let state = present();
      if (String(state.revision) !== input.afterRevision || isFinished(state)) yield state;
      while (!isFinished(state)) {
        await followed.change(heartbeatMs);
        state = present();
        await requireSeen(state);
        yield state;
      }
    } finally {
      followed.leave();
    }
  } finally {
    followedCaller.leave();
  }
}
