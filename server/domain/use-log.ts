import type { Clock } from "./clock.ts";
import type { WorkspaceId } from "./ids.ts";
import { monthOf, type RequestCount } from "./usage/usage.ts";

/**
 * Collects the times of last use by key and writes them in batches, so that not every read causes a write. A crash
 * loses the times of one interval at most.
 */
export interface UseLog<Key> {
  record(key: Key, at: number): void;
  /** Writes the collected times; if that fails, the next flush writes them. */
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

/** When each cached rendition was last used, by blob key. */
export type RenditionUses = UseLog<string>;

/** Counts calls by workspace and month and writes the counts in batches, so that not every call writes. */
export interface RequestLog {
  record(workspaceId: WorkspaceId, requests?: number): void;
  /**
   * Writes the counts; if that fails, the next flush writes them. A crash loses only counts that were not written.
   */
  flush(): Promise<void>;
}

export function createRequestLog(write: (counts: readonly RequestCount[]) => Promise<void>, clock: Clock): RequestLog {
  let pending = new Map<string, RequestCount>();
  const count = (workspaceId: WorkspaceId, month: string, more: number): void => {
    const key = `${workspaceId} ${month}`;
    pending.set(key, { workspaceId, month, requests: (pending.get(key)?.requests ?? 0) + more });
  };
  return {
    record: (workspaceId, requests = 1) => count(workspaceId, monthOf(clock()), requests),
    async flush() {
      if (pending.size === 0) return;
      const batch = [...pending.values()];
      pending = new Map();
      try {
        await write(batch);
      } catch (cause) {
        for (const { workspaceId, month, requests } of batch) count(workspaceId, month, requests);
        throw cause;
      }
    },
  };
}
