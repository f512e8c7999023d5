import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { conflict } from "../errors.ts";
import { findJob, noSuchJob } from "./get.ts";
import { type JobView, viewJob } from "./view.ts";

/**
 * Ends an unfinished job. What it made is removed: the whole dataset if the job was creating it, otherwise the
 * dataset's vectors. Throws `conflict` if the job has already ended.
 */
export async function cancelJob(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<JobView> {
  const { metadata, clock } = domain;
  const { id, datasetId } = await findJob(domain, caller, input.id);
  const now = clock();
  const job = await metadata.jobs.cancel(caller.workspaceId, id, "cancelled", now);
  if (job === undefined) throw noSuchJob(input.id);
  if (job.canceledAt !== now) throw conflict(`job ${id} has already ended with ${job.status}`);
  const others = await metadata.jobs.countOthers(datasetId, id);
  if (others === 0) {
    const { workspaceId } = caller;
    const act = { action: "dataset.delete", target: datasetId, workspaceId, details: `job ${id} cancelled` } as const;
    await metadata.datasets.delete(workspaceId, datasetId, now, actOf(caller, act, now));
  } else {
    await metadata.pages.clearEmbedded(datasetId);
    await metadata.garbage.add([{ kind: "vectors", key: datasetId }], now);
  }
  domain.worker.wake();
  return viewJob(metadata, job);
}
