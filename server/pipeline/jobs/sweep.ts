import { renditionPrefix } from "../../domain/datasets/dataset.ts";
import type { Clock } from "../../domain/clock.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { Garbage, Metadata } from "../../domain/ports/metadata.ts";
import type { VectorStore } from "../../domain/ports/vectors.ts";

interface Stores {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly clock: Clock;
}

const atOnce = 100;

/**
 * Ends upload sessions and deletes datasets whose time is over, forgets answers that need not be repeated any more, and
 * removes what is due outside the database. Every removal may be repeated, so a crash in the middle loses nothing. True
 * if vectors have been removed.
 */
export async function sweep({ metadata, blobs, vectors, clock }: Stores): Promise<boolean> {
  await metadata.uploads.sweep(clock());
  await metadata.idempotency.sweep(clock());
  await metadata.datasets.deleteExpired(clock(), atOnce);
  let vectorsRemoved = false;
  for (;;) {
    const due = await metadata.garbage.due(clock(), atOnce);
    for (const garbage of due) {
      await remove(garbage, blobs, vectors);
      await metadata.garbage.done(garbage);
      vectorsRemoved ||= garbage.kind === "vectors";
    }
    if (due.length < atOnce) return vectorsRemoved;
  }
}

function remove(garbage: Garbage, blobs: BlobStore, vectors: VectorStore): Promise<void> {
  switch (garbage.kind) {
    case "blob":
      return blobs.remove(garbage.key);
    case "renditions":
      return blobs.removePrefix(renditionPrefix(garbage.key));
    case "vectors":
      return vectors.removeDataset(garbage.key);
  }
}
