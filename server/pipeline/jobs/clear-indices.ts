import type { JobContext } from "./context.ts";
import { holdLease, leaseMs } from "./lease.ts";

/**
 * Removes one index that no search goes to any more, or else a pack that has no datasets left. Every removal may be
 * repeated, so a crash in the middle loses nothing. False if there was nothing to do.
 */
export async function clearAway(context: JobContext, owner: string): Promise<boolean> {
  const { metadata, vectors, maintenance, clock, log } = context;
  const lease = await metadata.indices.claimRemoval(owner, clock(), clock() + leaseMs);
  if (lease !== undefined) {
    const held = holdLease(metadata.indices, lease, clock);
    try {
      await vectors.removeDataset(lease.datasetId, { pack: lease.pack });
      await metadata.indices.removed(lease);
    } catch (cause) {
      await metadata.indices.release(lease);
      throw cause;
    } finally {
      held.stop();
    }
    maintenance.request();
    return true;
  }
  const leaving = await metadata.packs.takeLeave();
  if (leaving === undefined) return false;
  await vectors.removePack(leaving);
  await metadata.packs.forget(leaving);
  log.info({ pack: leaving }, "the last dataset has left the model pack: its tables are removed");
  return true;
}
