import { noteConvertedSizes } from "./domain/usage/note-converted.ts";
import type { Stores } from "./stores.ts";

/**
 * Repairs what processes left that died at work on the stores. To be called by the owner of the data folder, before
 * anything is at work on the stores again.
 */
export async function recover({ metadata, blobs }: Pick<Stores, "metadata" | "blobs">): Promise<void> {
  await metadata.expireDead();
  await metadata.garbage.expireAll();
  await metadata.idempotency.endHolds();
  await noteConvertedSizes({ metadata, blobs });
}

/** Ends all leases and duties of one run of a worker process, which is dead: others can go on with its work at once. */
export function leaseEnder({ metadata }: Pick<Stores, "metadata">): (owner: string) => Promise<void> {
  return async (owner) => {
    await metadata.jobs.expireLeases(owner);
    await metadata.indices.expireLeases(owner);
    await metadata.duties.release(owner);
  };
}
