/** Timing of a memory watch; set by tests. */
export interface MemoryPace {
  /** Interval between measurements. */
  readonly lookMs: number;
  /** Number of consecutive measurements that must exceed the bound, so that a page's short peak does not count. */
  readonly looks: number;
  /** Time after a renewal during which threads hold no memory that they could free. */
  readonly renewedMs: number;
}

export const defaultMemoryPace: MemoryPace = { lookMs: 1_000, looks: 15, renewedMs: 5 * 60_000 };

interface Options extends MemoryPace {
  readonly maxBytes: number;
  /** Frees the memory of threads without interrupting them. */
  readonly renew: () => Promise<void>;
  /** Called repeatedly while memory stays above the bound although the threads have freed theirs. */
  readonly onOutgrown: (rssBytes: number) => void;
  /** Bytes; set by tests. */
  readonly rss?: () => number;
}

/**
 * Watches for memory that a process does not free between pages. The minimum of several measurements counts, so that current work
 * is ignored. Returns a function that ends the watch.
 */
export function watchOwnMemory(options: Options): () => void {
  const { maxBytes, lookMs, looks, renewedMs, renew, onOutgrown, rss = () => process.memoryUsage.rss() } = options;
  let above = 0;
  let renewing = false;
  let renewedAt = Number.NEGATIVE_INFINITY;

  function look(): void {
    const bytes = rss();
    above = bytes > maxBytes ? above + 1 : 0;
    if (above < looks || renewing) return;
    above = 0;
    if (performance.now() - renewedAt < renewedMs) return onOutgrown(bytes);
    renewing = true;
    void renew()
      .catch(() => undefined)
      .finally(() => {
        renewing = false;
        renewedAt = performance.now();
        above = 0;
      });
  }

  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}
