import type { Caller } from "../caller.ts";
import { sees } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { parseJobId } from "../ids.ts";
import { findJob, noSuchJob } from "./get.ts";
import { isFinished, publicDatasetId } from "./job.ts";
import type { JobView } from "./view.ts";

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
