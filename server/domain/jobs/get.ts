import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseJobId } from "../ids.ts";
import type { Job } from "./job.ts";
import { type JobView, viewJob } from "./view.ts";

export async function getJob(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<JobView> {
  return viewJob(domain.metadata, await findJob(domain, caller, input.id));
}

/** The caller's job. Throws `not_found`, for another workspace's like for an unknown one. */
export async function findJob({ metadata }: Domain, caller: Caller, id: string): Promise<Job> {
  const jobId = parseJobId(id);
  const job = jobId && (await metadata.jobs.get(caller.workspaceId, jobId));
  if (job === undefined) throw noSuchJob(id);
  return job;
}

export const noSuchJob = (id: string): Error => notFound(`there is no job ${JSON.stringify(id)} in this workspace`);
