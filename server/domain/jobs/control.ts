import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import { changeable } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { conflict, notFound } from "../errors.ts";
import { publicDatasetId } from "./job.ts";
import { findJob, noSuchJob } from "./read.ts";
import { type JobView, viewAccepted, viewJob } from "./view.ts";

/**
 * Ends an unfinished job and removes its results: the new version or the whole dataset if the job was reading it,
 * otherwise its part of the index. Throws `conflict` if the job has already ended, and `forbidden` if the caller
 * may only read its dataset.
 */
export async function cancelJob(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<JobView> {
  const { metadata, clock } = domain;
  const found = await findJob(domain, caller, input.id);
  const { id } = found;
  const { workspaceId } = caller;
  const now = clock();
  const act = {
    action: "dataset.delete",
    target: publicDatasetId(found),
    workspaceId,
    details: `job ${id} cancelled`,
  } as const;
  const end = { statusText: "cancelled", event: actOf(caller, act, now) };
  const cancelled = await metadata.jobs.cancel(workspaceId, id, end, now, changeable(caller));
  if (cancelled === undefined) throw noSuchJob(input.id);
  const { isCancelled, job } = cancelled;
  if (!isCancelled) throw conflict(`job ${id} has already ended with ${job.status}`, { reason: "JOB_ENDED" });
  domain.meter.count("jobs", { type: job.type, result: "canceled", reason: "canceled" });
  domain.meter.time("jobs", { type: job.type, result: "canceled" }, (now - (job.startedAt ?? job.createdAt)) / 1000);
  domain.worker.wake();
  return viewJob(metadata, job);
}

/**
 * Runs a finished job again on its dataset. A job that ended in ERROR continues from the results that it has; a job
 * that left failed pages retries only those. Throws `conflict` if there is nothing to retry, `not_found` if the
 * dataset is gone.
 */
export async function retryJob(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<JobView> {
  const { metadata, clock, tracing } = domain;
  const found = await findJob(domain, caller, input.id);
  const { id } = found;
  const job = await metadata.jobs.retry(caller.workspaceId, id, clock(), tracing.traceparent(), changeable(caller));
  switch (job) {
    case undefined:
      throw noSuchJob(input.id);
    case "unfinished":
      throw conflict(`job ${id} has not ended yet; it can be run again when it has`);
    case "complete":
      throw conflict(`job ${id} has no failed pages; there is nothing to run again`);
    case "superseded":
      throw conflict(
        `another vectorize job of dataset ${publicDatasetId(found)} runs or has succeeded; there is nothing to run again`,
      );
    case "gone":
      throw notFound(`what job ${id} has read no longer exists; upload the document again`);
    default:
      domain.worker.wake();
      return viewAccepted(job);
  }
}
