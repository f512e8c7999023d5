import type { Clock } from "../domain/clock.ts";
import type { DatasetId } from "../domain/ids.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { Meter } from "../domain/ports/meter.ts";
import type { RenditionEntry } from "../domain/ports/renditions.ts";

export interface CacheOptions {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  /** Maximum size of the cache in bytes. */
  readonly cacheBytes: number;
  readonly clock: Clock;
  readonly meter: Meter;
}

/** Entries evicted at once, so that there is room for a while and not just for one picture. */
const evictAtOnce = 64;
/** If the process dies before it has removed evicted blobs, the sweep removes them after this time. */
const removedWithinMs = 60_000;

/**
 * Enters renditions into the cache's list one after another, and keeps their sum within the limit by first removing the least
 * recently used ones. It waits for renditions that are being written instead of removing them. Several processes may do this
 * at once, and each may enter one more than fits. Returns false if the dataset no longer exists.
 */
export function createCacheEntries(
  { metadata, blobs, cacheBytes, clock, meter }: CacheOptions,
  writing: ReadonlyMap<string, Promise<unknown>>,
): (key: string, datasetId: DatasetId, size: number) => Promise<boolean> {
  let turn: Promise<unknown> = Promise.resolve();

  async function makeRoom(size: number): Promise<void> {
    for (;;) {
      let excess = (await metadata.renditions.totalBytes()) + size - cacheBytes;
      if (excess <= 0) return;
      const oldest = await metadata.renditions.oldest(evictAtOnce);
      const evictable = oldest.filter(({ key }) => !writing.has(key));
      if (evictable.length === 0) {
        // A rendition that is larger than the whole cache is kept alone until the next one comes.
        if (writing.size === 0) return;
        await Promise.allSettled(writing.values());
        continue;
      }
      const chosen: RenditionEntry[] = [];
      for (const entry of evictable) {
        if (excess <= 0) break;
        excess -= entry.size;
        chosen.push(entry);
      }
      meter.count("renditionEvictions", {}, await evict(chosen));
    }
  }

  /** Returns the number of evicted entries; others may have been used meanwhile, or removed by another process. */
  async function evict(chosen: readonly RenditionEntry[]): Promise<number> {
    const notBefore = clock() + removedWithinMs;
    const evicted = await metadata.renditions.evict(chosen, notBefore);
    for (const { key } of evicted) {
      await blobs.remove(key);
      await metadata.garbage.done({ kind: "blob", key }, notBefore);
    }
    return evicted.length;
  }

  return (key, datasetId, size) => {
    const done = turn.then(async () => {
      await makeRoom(size);
      return metadata.renditions.put(key, datasetId, size, clock());
    });
    turn = done.catch(() => undefined);
    return done;
  };
}
