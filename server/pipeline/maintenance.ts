import type { Logger } from "pino";
import type { VectorStore } from "../domain/ports/vectors.ts";

export interface Maintenance {
  /** The index has changed: maintain it soon. */
  request(): void;
  stop(): Promise<void>;
}

/** Many small jobs one after another share one round. */
const settleMs = 3_000;
/** A stream of jobs that never pauses must not put it off for ever. */
const longestWaitMs = 60_000;

/** The one task that folds fragments, refreshes indices and frees disk; it never runs twice at the same time. */
export function startMaintenance(vectors: VectorStore, log: Logger): Maintenance {
  let timer: NodeJS.Timeout | undefined;
  let requestedAt = 0;
  let running: Promise<void> = Promise.resolve();
  let stopped = false;

  function run(): void {
    timer = undefined;
    running = running
      .then(() => vectors.maintain())
      .catch((cause: unknown) =>
        log.warn({ err: cause }, "index maintenance failed; it is tried again after the next job"),
      );
  }

  return {
    request() {
      if (stopped) return;
      const now = performance.now();
      if (timer === undefined) requestedAt = now;
      clearTimeout(timer);
      timer = setTimeout(run, Math.max(0, Math.min(settleMs, requestedAt + longestWaitMs - now)));
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
