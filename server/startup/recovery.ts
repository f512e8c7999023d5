import type { Stores } from "../stores.ts";

/**
 * Cleans up after processes that died while they used the stores in a data folder. The owner of the folder calls it before
 * its own work; running workers of this host are not affected. On shared stores the leases, holds and entries of dead
 * processes expire by themselves.
 */
export async function recover({ metadata }: Pick<Stores, "metadata">): Promise<void> {
  await metadata.expireDead();
  await metadata.garbage.expireAll();
  await metadata.idempotency.endHolds();
}

/** Ends all leases of a dead worker process, so that others can continue its work at once. */
export function leaseEnder({ metadata }: Pick<Stores, "metadata">): (owner: string) => Promise<void> {
  return async (owner) => {
    await metadata.jobs.expireLeases(owner);
    await metadata.indices.expireLeases(owner);
    await metadata.leaderLeases.release(owner);
  };
}
