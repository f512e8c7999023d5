/** Time limits of a watch. Set by tests. */
export interface MemoryPace {
  /** Interval between measurements. */
  readonly lookMs: number;
  /** So many measurements in a row must exceed the bound, so that one page that takes much for a moment does not. */
  readonly looks: number;
  /** Threads that were renewed more recently than this have nothing to give back. */
  readonly renewedMs: number;
}

export const defaultMemoryPace: MemoryPace = { lookMs: 1_000, looks: 15, renewedMs: 5 * 60_000 };

interface Options extends MemoryPace {
  readonly maxBytes: number;
  /** Gives back what threads hold, without interrupting them. */
  readonly renew: () => Promise<void>;
  /** The memory stays above the bound, although threads have given back what they held. Called again while it lasts. */
  readonly onOutgrown: (rssBytes: number) => void;
  /** Bytes; set by tests. */
  readonly rss?: () => number;
}

/**
 * Watches for memory that a process does not get rid of, page after page: the least that it held in a while counts, so
 * that what is at work does not. Returns what ends the watch.
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
