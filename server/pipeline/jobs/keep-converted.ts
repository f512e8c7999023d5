import { createReadStream } from "node:fs";
import { convertedKey, type Dataset } from "../../domain/datasets/dataset.ts";
import type { JobContext } from "./context.ts";
import type { HeldLease } from "./lease.ts";

/**
 * Stores the PDF that an Office document became and counts its bytes. Whoever dies in between leaves one that is stored
 * and not counted; `countConverted` makes that good in the job's next run, and the start of the service for all.
 */
export async function keepConverted(
  { metadata, blobs }: Pick<JobContext, "metadata" | "blobs">,
  { dataset, file, held, signal }: { dataset: Dataset; file: string; held: HeldLease; signal: AbortSignal },
): Promise<void> {
  const key = convertedKey(dataset.id);

  async function* body(): AsyncGenerator<Uint8Array> {
    yield* createReadStream(file);
    // The blob takes its place next: not if the job has gone to a worker that may have put its own there.
    await held.check();
    signal.throwIfAborted();
  }

  const { size } = await blobs.put(key, body(), signal);
  const isThere = await metadata.datasets.noteConverted(dataset.id, size);
  // Deleted while it was converted: what was to be swept has been swept.
  if (!isThere) await blobs.remove(key);
}

/** Counts the PDF that an earlier run has stored, if there is one. */
export async function countConverted(
  { metadata, blobs }: Pick<JobContext, "metadata" | "blobs">,
  { id }: Dataset,
): Promise<void> {
  const stored = await blobs.stat(convertedKey(id));
  if (stored !== undefined) await metadata.datasets.noteConverted(id, stored.size);
}
