import type { Logger } from "pino";
import type { BlobStore } from "../../../domain/ports/blobs.ts";
import { logFault } from "../../../log-fault.ts";

/** What is left is a day old before it is removed; a quarter of an hour more is of no account. */
const everyMs = 900_000;

interface Options {
  readonly blobs: Pick<BlobStore, "removeAbandoned">;
  /** Whether this worker is the one that removes what is due. */
  readonly isDue: () => boolean;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Has the blob store remove, from time to time, what interrupted writes have left in it. */
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
