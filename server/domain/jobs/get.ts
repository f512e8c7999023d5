import type { Caller } from "../caller.ts";
import { sees } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseJobId } from "../ids.ts";
import { type Job, publicDatasetId } from "./job.ts";
import { type JobView, viewJob } from "./view.ts";

export async function getJob(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<JobView> {
  return viewJob(domain.metadata, await findJob(domain, caller, input.id));
}

/**
 * Finds the caller's job. Throws `not_found` if it is unknown or the caller may not see it. A caller who is bound
 * to a filter sees a job only through its dataset, and so not if that is gone.
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
