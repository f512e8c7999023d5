/**
 * Collects "last used at" by key and writes it in batches, so that reads do not cause a write each time. A crash
 * loses at most one interval of these marks.
 */
export interface UseLog<Key> {
  record(key: Key, at: number): void;
  /** Writes the collected marks; after a failed write they are kept for the next one. */
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
