import type { Caller } from "../caller.ts";
import { changeable } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { conflict, notFound } from "../errors.ts";
import { findJob, noSuchJob } from "./get.ts";
import { publicDatasetId } from "./job.ts";
import { type JobView, viewAccepted } from "./view.ts";

/**
 * Runs a finished job again on its dataset: a job that ended in ERROR continues with what it has; a job that left
 * failed pages retries only those. Throws `conflict` if there is nothing to retry, `not_found` if the dataset is
 * gone.
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
      throw conflict(`nothing of job ${id} has failed; there is nothing to run again`);
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
