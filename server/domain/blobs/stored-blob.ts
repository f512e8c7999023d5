import type { Domain } from "../domain.ts";
import type { Garbage } from "../ports/garbage.ts";

/** A blob that no row refers to after this time is removed. */
const abandonedAfterMs = 24 * 3_600_000;

/**
 * Runs what stores a blob and enters it into the rows that it belongs to. The blob is on the garbage list first, and the
 * transaction that enters it takes it off. If that fails, the entry is made due, and the sweep removes the blob if it is
 * still on the list. The blob is not removed here: a transaction whose answer was lost may have been committed, and then
 * the blob is a stored document. If the list cannot be written either, the entry falls due by itself.
 */
export async function withStoredBlob<Result>(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  key: string,
  store: () => Promise<Result>,
): Promise<Result> {
  const blob: Garbage = { kind: "blob", key };
  await metadata.garbage.add([blob], clock() + abandonedAfterMs);
  try {
    return await store();
  } catch (cause) {
    await metadata.garbage.postpone(blob, clock()).catch(() => undefined);
    throw cause;
  }
}
