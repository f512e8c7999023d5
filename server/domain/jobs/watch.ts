import type { Caller } from "../caller.ts";
import { sees } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { parseJobId } from "../ids.ts";
import { findJob, noSuchJob } from "./get.ts";
import { isFinished, publicDatasetId } from "./job.ts";
import type { JobView } from "./view.ts";

/** Keeps proxies and clients from taking a quiet stream for a dead one. */
const heartbeatMs = 15_000;

/**
 * The states of a job: the present one (unless it is `afterRevision`), each change, the same again after 15 quiet
 * seconds, and at last the final one. Resuming after a lost connection loses nothing, since every state is complete. Of
 * changes that come faster than they are taken, the latest is shown. Throws `not_found`, and `unauthenticated` once the
 * caller's key has been revoked or the member removed.
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
  const stay = standing.follow(caller);
  const signal = AbortSignal.any([stop, stay.signal]);
  try {
    const followed = await jobFeed.follow(caller.workspaceId, jobId, signal);
    if (followed === undefined) throw noSuchJob(input.id);
    // Of a dataset that has gone with the job there is nothing left to be seen.
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
    stay.leave();
  }
}
