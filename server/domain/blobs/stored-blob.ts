import type { Domain } from "../domain.ts";
import type { Garbage } from "../ports/garbage.ts";
import type { Lease } from "../ports/jobs.ts";

/** No upload takes a day: a blob that no row refers to after this time is removed. */
const uploadMs = 24 * 3_600_000;

interface BlobToStore {
  readonly key: string;
  /** The claim that writes it; undefined: an upload. */
  readonly lease?: Pick<Lease, "token">;
  /** Longer than it takes to store it and to enter it, milliseconds; a day by default. */
  readonly withinMs?: number;
}

/**
 * Runs what stores a blob and enters it into the rows that it belongs to. The blob is on the garbage list first, and the
 * transaction that enters it takes it off. If that fails, the entry is made due, and the sweep removes the blob if it is
 * still on the list. The blob is not removed here: a transaction whose answer was lost may have been committed, and then
 * the blob is a stored document. If the list cannot be written either, the entry falls due by itself.
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
