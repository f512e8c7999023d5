import type { Domain } from "../domain.ts";
import { storageFull } from "../errors.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Garbage } from "../ports/garbage.ts";
import type { Lease } from "../ports/jobs.ts";
import { storageFaultSentences } from "../storage-fault.ts";

/** A blob that no row refers to after this time is removed; no upload takes as long as a day. */
const uploadMs = 24 * 3_600_000;

interface BlobToStore {
  readonly key: string;
  /** The claim that writes the blob; undefined for an upload. */
  readonly lease?: Pick<Lease, "token">;
  /** Must exceed the time that it takes to store the blob and to commit its row, milliseconds; a day by default. */
  readonly withinMs?: number;
}

/**
 * Runs `store`, which writes a blob and commits the row that refers to it. The blob is put on the garbage list first;
 * the transaction that refers to it takes it off again. If `store` fails, the entry becomes due at once, and the
 * sweep removes the blob if it is still listed. The blob is not removed here because a transaction whose reply was
 * lost may have been committed; the blob is then a stored document. If the list cannot be written either, the entry
 * becomes due when its time is over.
 */
export async function withStoredBlob<Result>(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  { key, lease, withinMs = uploadMs }: BlobToStore,
  store: () => Promise<Result>,
): Promise<Result> {
  const blob: Garbage = { kind: "blob", key };
  await metadata.garbage.add([blob], clock() + withinMs, lease);
  try {
    return await store();
  } catch (cause) {
    await metadata.garbage.postpone(blob, clock()).catch(() => undefined);
    throw cause;
  }
}

/**
 * Throws `storage_full` if the store has less free space than `bytes`, so that no write starts that would fail
 * midway.
 */
export async function requireDiskSpace(blobs: Pick<BlobStore, "freeBytes">, bytes: number): Promise<void> {
  if (bytes > (await blobs.freeBytes())) throw diskFull();
}

export const diskFull = (): Error => storageFull(storageFaultSentences.full);
