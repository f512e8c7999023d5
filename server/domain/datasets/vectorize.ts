import { requireDiskSpace } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict } from "../errors.ts";
import type { JobId } from "../ids.ts";
import { newJob } from "../jobs/job.ts";
import { type JobView, viewAccepted } from "../jobs/view.ts";
import { acceptCallback } from "../webhooks/secrets.ts";
import { publicId } from "./dataset.ts";
import { findDataset, noSuchDataset } from "./read.ts";
import { changeable } from "./view.ts";

/**
 * Accepts the job that makes a stored dataset searchable. Throws `conflict` if it is searchable or being made so.
 */
export async function vectorizeDataset(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string; jobId: JobId | undefined; callbackUrl: string } },
): Promise<JobView> {
  const dataset = await findDataset(domain, caller, input.id);
  await requireDiskSpace(domain.blobs, 0);
  const callbackUrl = await acceptCallback(domain, caller.workspaceId, input.callbackUrl);
  const { versionOf } = dataset;
  const origin = { id: input.jobId, versionOf, traceparent: domain.tracing.traceparent(), callbackUrl };
  const job = newJob(caller.workspaceId, dataset.id, "datasets/vectorize", domain.clock(), origin);
  const outcome = await domain.metadata.jobs.createVectorize(job, changeable(caller));
  if (outcome === "gone") throw noSuchDataset(input.id);
  const id = publicId(dataset);
  if (outcome === "running")
    throw conflict(`dataset ${id} is being vectorized; watch its job instead`, { reason: "JOB_RUNNING" });
  if (outcome === "done")
    throw conflict(`dataset ${id} has been vectorized; it is ready to be searched`, { reason: "ALREADY_VECTORIZED" });
  if (outcome === "replaced")
    throw conflict(`a new version of dataset ${id} is being read; vectorize it when its job has ended`, {
      reason: "JOB_RUNNING",
    });
  domain.worker.wake();
  return viewAccepted(job);
}
