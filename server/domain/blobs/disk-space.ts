import { storageFull } from "../errors.ts";
import type { BlobStore } from "../ports/blobs.ts";
import { storageFaultSentences } from "../storage-fault.ts";

/**
 * Throws `storage_full` if the store has less free space than `bytes`, so that no write starts that would fail
 * midway.
 */
export async function requireDiskSpace(blobs: Pick<BlobStore, "freeBytes">, bytes: number): Promise<void> {
  if (bytes > (await blobs.freeBytes())) throw diskFull();
}

export const diskFull = (): Error => storageFull(storageFaultSentences.full);
