import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { findJob } from "./get.ts";
import { isFinished } from "./job.ts";
import { type JobView, viewJob } from "./view.ts";

/** Often enough to look live; a look costs one primary-key read. */
const pollMs = 200;
/** Keeps proxies and clients from taking a quiet stream for a dead one. */
const heartbeatMs = 15_000;

/**
 * The states of a job: the present one (unless it is `afterRevision`), each change, the same again after 15 quiet
 * seconds, and at last the final one. Resuming after a lost connection loses nothing, since every state is complete.
 */
export async function* watchJob(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: { id: string; afterRevision: string }; signal: AbortSignal },
): AsyncGenerator<JobView> {
  let seen = input.afterRevision;
  let sentAt = domain.clock();
  for (;;) {
    const job = await findJob(domain, caller, input.id);
    const revision = String(job.revision);
    const changed = revision !== seen;
    if (changed || isFinished(job) || domain.clock() - sentAt >= heartbeatMs) {
      seen = revision;
      sentAt = domain.clock();
      yield await viewJob(domain.metadata, job);
    }
    if (isFinished(job)) return;
    await sleep(pollMs, undefined, { signal });
  }
}
