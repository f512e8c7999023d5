import { requireDiskSpace } from "../blobs/disk-space.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import type { JobId } from "../ids.ts";
import { newJob } from "../jobs/create.ts";
import type { Job, JobType } from "../jobs/job.ts";
import { type JobView, viewAccepted, viewRepeated } from "../jobs/view.ts";
import { acceptCallback } from "../webhooks/callback.ts";
import { mayWrite, viewOf } from "./view.ts";

/** What an upload does if the workspace has the same bytes already: make another dataset, or answer with the one there is. */
export type IfExists = "create" | "return";

export interface SameContentInput {
  /** Of the bytes, hexadecimal, of either case. */
  readonly sha256: string;
  readonly type: JobType;
  /** Of the job that makes a stored dataset searchable; undefined: a new one. */
  readonly jobId: JobId | undefined;
  /** Told of the end of that job; empty: nobody. */
  readonly callbackUrl: string;
}

/** The newest datasets of the same bytes that are looked at; more are copies that were asked for. */
const maxCopies = 100;

/**
 * The job of a dataset that has the bytes already; undefined: there is none that the caller sees, that has not expired and
 * on which the work has not failed. The newest counts. To be searched, one that is searchable or becomes so comes first; where
 * there are merely others the newest of them gets the job that makes it searchable.
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
  const wanted = (job: Job): boolean => input.type === "datasets/extract" || job.type === "datasets/vectorize";
  const fitting = ofDatasets.flatMap((some) => some.find(wanted) ?? [])[0];
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
