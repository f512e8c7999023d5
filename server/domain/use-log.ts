/**
 * Collects "last used at" by key and hands it on in batches, so that reading does not write each time.
 * What a crash loses is at most one interval of such marks.
 */
export interface UseLog<Key> {
  record(key: Key, at: number): void;
  /** Writes what has been collected; a failed write is kept for the next time. */
  flush(): Promise<void>;
}

export function createUseLog<Key>(write: (uses: ReadonlyMap<Key, number>) => Promise<void>): UseLog<Key> {
  let pending = new Map<Key, number>();
  return {
    record: (key, at) => void pending.set(key, at),
    async flush() {
      if (pending.size === 0) return;
      const batch = pending;
      pending = new Map();
      try {
        await write(batch);
      } catch (cause) {
        pending = new Map([...batch, ...pending]);
        throw cause;
      }
    },
  };
}
