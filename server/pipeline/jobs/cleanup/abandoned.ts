import type { Logger } from "pino";
import type { BlobStore } from "../../../domain/ports/blobs.ts";
import { logFault } from "../../../log-fault.ts";

/** Leftovers are a day old before they are removed, so a quarter of an hour more does not matter. */
const everyMs = 900_000;

interface Options {
  readonly blobs: Pick<BlobStore, "removeAbandoned">;
  /** Whether this worker is the one that cleans up. */
  readonly isDue: () => boolean;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Periodically removes leftovers of interrupted writes from the blob store. */
export function startAbandonedRemoval({ blobs, isDue, clock, log }: Options): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const round = (): void => {
    if (!isDue()) return;
    running = blobs
      .removeAbandoned(clock())
      .catch((cause: unknown) => logFault(log, "warn", { err: cause }, "abandoned uploads not removed; trying again"));
  };
  const timer = setInterval(round, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
