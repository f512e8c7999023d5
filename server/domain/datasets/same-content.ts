import { requireDiskSpace } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import type { JobId } from "../ids.ts";
import { type Job, type JobType, newJob } from "../jobs/job.ts";
import { type JobView, viewAccepted, viewRepeated } from "../jobs/view.ts";
import { acceptCallback } from "../webhooks/secrets.ts";
import { mayWrite, viewOf } from "./view.ts";

/** The choice if the workspace already has the same bytes: create another dataset, or return the existing one. */
export type IfExists = "create" | "return";

export interface SameContentInput {
  /** SHA-256 of the content, hexadecimal, of either case. */
  readonly sha256: string;
  readonly type: JobType;
  /** Id for the job that makes a stored dataset searchable; undefined for a new one. */
  readonly jobId: JobId | undefined;
  /** Notified when that job ends; empty for nobody. */
  readonly callbackUrl: string;
}

/**
 * Maximum number of datasets with the same bytes that are examined, newest first. More than that are copies that
 * callers asked for.
 */
const maxCopies = 100;

/**
 * Finds the job of a dataset that already has the same bytes; undefined if there is none that the caller sees, that
 * has not expired and whose processing has not failed. The newest dataset is chosen. A caller that wants to search it
 * gets the newest dataset that is searchable or becomes so; if there is none, the newest of the others gets a job
 * that makes it searchable.
 */
export async function findSameContent(
  domain: Domain,
  { caller, input }: { caller: Caller; input: SameContentInput },
): Promise<JobView | undefined> {
  const { metadata, clock } = domain;
  const { data } = await metadata.datasets.list({
    workspaceId: caller.workspaceId,
    types: [],
    sha256: [input.sha256.toLowerCase()],
    filter: viewOf(caller),
    sort: [{ property: "createdAt", descending: true }],
    offset: 0,
    limit: maxCopies,
    now: clock(),
  });
  if (data.length === 0) return undefined;
  const jobs = await metadata.jobs.standing(data.map(({ id }) => id));
  const ofDatasets = data.map(({ id }) => jobs.filter(({ datasetId }) => datasetId === id));
  const fits = (job: Job): boolean => input.type === "datasets/extract" || job.type === "datasets/vectorize";
  const fitting = ofDatasets.flatMap((some) => some.find(fits) ?? [])[0];
  if (fitting !== undefined) return viewRepeated(metadata, fitting);
  const extracted = ofDatasets.flatMap((some) => some[0] ?? [])[0];
  return extracted && makeSearchable(domain, caller, extracted, input);
}

async function makeSearchable(
  domain: Domain,
  caller: Caller,
  { datasetId, versionOf }: Pick<Job, "datasetId" | "versionOf">,
  input: SameContentInput,
): Promise<JobView | undefined> {
  const { metadata, clock, tracing, worker } = domain;
  await requireDiskSpace(domain.blobs, 0);
  const callbackUrl = await acceptCallback(domain, caller.workspaceId, input.callbackUrl);
  const origin = { id: input.jobId, versionOf, traceparent: tracing.traceparent(), callbackUrl };
  const job = newJob(caller.workspaceId, datasetId, "datasets/vectorize", clock(), origin);
  const outcome = await metadata.jobs.createVectorize(job, (dataset) => mayWrite(caller, dataset));
  if (outcome === "gone" || outcome === "replaced") return undefined;
  if (outcome === "created") {
    worker.wake();
    return viewAccepted(job);
  }
  // Another request was faster.
  const [other] = (await metadata.jobs.standing([datasetId])).filter(({ type }) => type === "datasets/vectorize");
  return other && viewRepeated(metadata, other);
}
