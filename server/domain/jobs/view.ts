import type { DocumentWarning } from "../documents/properties.ts";
import type { DatasetId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Job, PageFailure } from "./job.ts";

/** A job as callers see it, with the failures of its pages and the warnings of its document. */
export interface JobView extends Job {
  readonly failures: readonly PageFailure[];
  readonly warnings: readonly DocumentWarning[];
}

/** Joins jobs with the failures and warnings of their datasets, with one query for each. */
export async function viewJobs(
  metadata: Pick<Metadata, "datasets" | "pages">,
  jobs: readonly Job[],
): Promise<readonly JobView[]> {
  const datasetIds = [...new Set<DatasetId>(jobs.map((job) => job.datasetId))];
  const failures = await metadata.pages.failures(datasetIds);
  const warnings = await metadata.datasets.warnings(datasetIds);
  return jobs.map((job) => ({
    ...job,
    failures: failures.get(job.datasetId) ?? [],
    warnings: warnings.get(job.datasetId) ?? [],
  }));
}

export async function viewJob(metadata: Metadata, job: Job): Promise<JobView> {
  const failures = await metadata.pages.failures([job.datasetId]);
  const warnings = await metadata.datasets.warnings([job.datasetId]);
  return { ...job, failures: failures.get(job.datasetId) ?? [], warnings: warnings.get(job.datasetId) ?? [] };
}

/**
 * The job for a repeated creation: the same as the first answer until a worker starts the job, then its current
 * state.
 */
export async function viewRepeated(metadata: Metadata, job: Job): Promise<JobView> {
  return job.startedAt === null && job.finishedAt === null ? viewAccepted(job) : viewJob(metadata, job);
}

/**
 * The job for the answer to its creation: accepted work counts as in progress, as clients of the contract expect.
 */
export function viewAccepted(job: Job): JobView {
  return { ...job, status: "IN_PROGRESS", failures: [], warnings: [] };
}
