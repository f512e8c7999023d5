import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import type { DatasetId } from "../ids.ts";
import { publicId } from "./dataset.ts";
import { findDataset, noSuchDataset } from "./get.ts";
import { changeable } from "./view.ts";

/**
 * Deletes a dataset: it disappears from every answer at once and its jobs are cancelled. The worker then frees its
 * blobs and vectors, also after a crash.
 */
export async function deleteDataset(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<{ readonly id: DatasetId; readonly freedBytes: number }> {
  const id = publicId(await findDataset(domain, caller, input.id));
  const { workspaceId } = caller;
  const now = domain.clock();
  const event = actOf(caller, { action: "dataset.delete", target: id, workspaceId }, now);
  const deleted = await domain.metadata.datasets.delete(workspaceId, id, now, event, changeable(caller));
  if (deleted === undefined) throw noSuchDataset(input.id);
  domain.worker.wake();
  return { id, freedBytes: deleted.freedBytes };
}
