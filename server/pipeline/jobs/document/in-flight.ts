import type { HeldLease } from "../lease.ts";

/** Records in the lease's row which pages are being processed, so that they become suspects if the process ends. */
export interface InFlight {
  start(pages: readonly number[]): Promise<void>;
  /** Removes a page, which is no longer suspect because it has come back from its thread. */
  end(page: number): void;
  clear(): Promise<void>;
}

export function trackInFlight<Held>(
  store: { setInFlight(lease: Held, pages: readonly number[]): Promise<boolean> },
  held: HeldLease<Held>,
): InFlight {
  const pages = new Set<number>();
  const write = (): Promise<void> => held.confirm(store.setInFlight(held.lease, [...pages]));
  return {
    async start(started) {
      for (const page of started) pages.add(page);
      await write();
    },
    end: (page) => void pages.delete(page),
    async clear() {
      pages.clear();
      await write();
    },
  };
}
