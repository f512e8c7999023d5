import type { Clock } from "../domain/clock.ts";
import type { DatasetId } from "../domain/ids.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { Meter } from "../domain/ports/meter.ts";

export interface CacheOptions {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  /** Bound of the cache, bytes. */
  readonly cacheBytes: number;
  readonly clock: Clock;
  readonly meter: Meter;
}

/** Eviction makes room for a while, not for one picture. */
const evictAtOnce = 64;

/**
 * Enters renditions into the cache's list one after another, and keeps their sum within the bound by first removing what
 * was used longest ago. What is still being written is waited for, not removed. False: the dataset no longer exists.
 */
export function createCacheEntries(
  { metadata, blobs, cacheBytes, clock, meter }: CacheOptions,
  writing: ReadonlyMap<string, Promise<unknown>>,
): (key: string, datasetId: DatasetId, size: number) => Promise<boolean> {
  let turn: Promise<unknown> = Promise.resolve();

  async function makeRoom(size: number): Promise<void> {
    let total = await metadata.renditions.totalBytes();
    while (total + size > cacheBytes) {
      const oldest = await metadata.renditions.oldest(evictAtOnce);
      const evictable = oldest.filter(({ key }) => !writing.has(key));
      if (evictable.length === 0) {
        // One that is larger than the whole cache is kept alone until the next one comes.
        if (writing.size === 0) return;
        await Promise.allSettled(writing.values());
        continue;
      }
      const evicted: string[] = [];
      for (const entry of evictable) {
        if (total + size <= cacheBytes) break;
        await blobs.remove(entry.key);
        total -= entry.size;
        evicted.push(entry.key);
      }
      await metadata.renditions.remove(evicted);
      meter.count("renditionEvictions", {}, evicted.length);
    }
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
