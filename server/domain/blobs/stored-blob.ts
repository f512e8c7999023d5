import type { Domain } from "../domain.ts";
import type { Garbage } from "../ports/garbage.ts";

/** Bytes that belong to nothing by then never will: they are removed. */
const abandonedAfterMs = 24 * 3_600_000;

/**
 * Runs what stores a blob and enters it into the rows that it belongs to. The blob is on the garbage list first, and the
 * transaction that enters it takes it off. Where that fails the blob is left to the sweep, which finds it due if it is
 * still on the list: bytes are not removed here, because a transaction whose answer was lost may have been committed, and
 * then they are somebody's document. If the list does not answer either, the entry falls due by itself.
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
