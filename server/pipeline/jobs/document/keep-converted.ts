import { createReadStream } from "node:fs";
import { withStoredBlob } from "../../../domain/blobs/stored-blob.ts";
import { type Dataset, keyOfClaim } from "../../../domain/datasets/dataset.ts";
import type { JobContext } from "../context.ts";
import type { HeldLease } from "../lease.ts";

/** Longer than writing a converted document takes; a PDF that has not been recorded by then is removed. */
const writeMs = 3_600_000;

/**
 * Stores the PDF of a converted Office document, under a key of this claim alone, and records it. Until then its bytes are on
 * the garbage list, so that a crash leaves nothing behind.
 */
export async function keepConverted(
  { metadata, blobs, clock }: Pick<JobContext, "metadata" | "blobs" | "clock">,
  { dataset, file, held, signal }: { dataset: Dataset; file: string; held: HeldLease; signal: AbortSignal },
): Promise<void> {
  const key = keyOfClaim("converted", dataset.id, held.lease);
  await withStoredBlob({ metadata, clock }, { key, lease: held.lease, withinMs: writeMs }, async () => {
    const { size } = await blobs.put(key, createReadStream(file), signal);
    await held.confirm(metadata.datasets.setConverted(held.lease, dataset.id, { key, size }, clock()));
  });
}
