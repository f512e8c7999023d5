import type { Logger } from "pino";
import type { BlobStore } from "../../../domain/ports/blobs.ts";
import { logFault } from "../../../log-fault.ts";

/** What is left is a day old before it is removed; an hour more is of no account. */
const everyMs = 3_600_000;

interface Options {
  readonly blobs: Pick<BlobStore, "removeAbandoned">;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Has the blob store remove, now and every hour, what interrupted writes have left in it. */
export function startAbandonedRemoval({ blobs, clock, log }: Options): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const round = (): void => {
    running = blobs
      .removeAbandoned(clock())
      .catch((cause: unknown) => logFault(log, "warn", { err: cause }, "abandoned uploads not removed; trying again"));
  };
  round();
  const timer = setInterval(round, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
