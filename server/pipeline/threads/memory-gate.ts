import { setTimeout as sleep } from "node:timers/promises";

/**
 * Keeps the process within its memory limit. Runs are concurrent until the process has grown too large. Then all runs are
 * stopped, because the memory cannot be attributed to a single one, and each suspect runs again alone.
 */
export interface MemoryGate {
  /** Runs concurrently with others; `stop` is aborted when the process has grown too large. */
  beside<Result>(run: (stop: AbortSignal) => Promise<Result>): Promise<Result>;
  alone<Result>(run: (stop: AbortSignal) => Promise<Result>): Promise<Result>;
}

interface Options {
  readonly maxRssBytes: number;
  /** Called after all runs have been stopped, to free memory that does not belong to a run. */
  readonly onExcess: () => Promise<void>;
  /** Bytes; set by tests. */
  readonly rss?: () => number;
}

/** Interval of measurements; a Flate bomb grows by about 0.5 GB per second. */
const lookMs = 50;
/** Memory that a run may always add, because it is not responsible for memory that was in use before. */
const headroomBytes = 256 * 2 ** 20;
/** Maximum wait for the system to free the memory of stopped threads before others may start. */
const settleMs = 2_000;
const settledShare = 0.8;

export function createMemoryGate({
  maxRssBytes,
  onExcess,
  rss = () => process.memoryUsage.rss(),
}: Options): MemoryGate {
  const running = new Set<AbortController>();
  /** The queue of runs that must be alone; new concurrent runs wait for it. */
  let solo: Promise<unknown> = Promise.resolve();
  const waiting = new Set<symbol>();
  let drained = Promise.withResolvers<void>();
  let settled: Promise<void> = Promise.resolve();
  let limit = maxRssBytes;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    if (rss() <= limit || [...running].every(({ signal }) => signal.aborted)) return;
    for (const controller of running) controller.abort();
    settled = settle();
  }

  async function settle(): Promise<void> {
    await onExcess();
    const deadline = performance.now() + settleMs;
    while (rss() > maxRssBytes * settledShare && performance.now() < deadline) await sleep(lookMs);
  }

  async function watched<Result>(run: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
    const controller = new AbortController();
    if (running.size === 0) {
      limit = Math.max(maxRssBytes, rss() + headroomBytes);
      timer = setInterval(look, lookMs);
      drained = Promise.withResolvers<void>();
    }
    running.add(controller);
    try {
      return await run(controller.signal);
    } finally {
      running.delete(controller);
      if (running.size === 0) {
        clearInterval(timer);
        drained.resolve();
      }
    }
  }

  return {
    async beside(run) {
      await settled;
      while (waiting.size > 0) await solo;
      return watched(run);
    },
    async alone(run) {
      const ticket = Symbol("alone");
      waiting.add(ticket);
      const before = solo;
      const turn = (async () => {
        await before;
        if (running.size > 0) await drained.promise;
        await settled;
        return watched(run);
      })();
      solo = turn.then(
        () => {},
        () => {},
      );
      try {
        return await turn;
      } finally {
        waiting.delete(ticket);
      }
    },
  };
}
