import type { Stores } from "../stores.ts";

/**
 * Repairs what processes left that died at work on stores in a data folder. To be called by the owner of the folder, before
 * it is at work itself; workers of this host that live are left alone. On shared stores the leases, holds and entries of
 * dead processes run out by themselves.
 */
export async function recover({ metadata }: Pick<Stores, "metadata">): Promise<void> {
  await metadata.expireDead();
  await metadata.garbage.expireAll();
  await metadata.idempotency.endHolds();
}

/** Ends all leases and duties of one run of a worker process, which is dead: others can go on with its work at once. */
export function leaseEnder({ metadata }: Pick<Stores, "metadata">): (owner: string) => Promise<void> {
  return async (owner) => {
    await metadata.jobs.expireLeases(owner);
    await metadata.indices.expireLeases(owner);
    await metadata.duties.release(owner);
  };
}
