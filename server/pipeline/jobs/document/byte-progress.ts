import type { ByteProgress } from "../../../domain/jobs/job.ts";

/** Four reports per second look live. */
const reportMs = 250;

export interface ByteCounter {
  /** Passes the bytes through and counts them; `total` is in bytes, if it is known. */
  count(body: AsyncIterable<Uint8Array>, total: number | undefined): AsyncIterable<Uint8Array>;
  /** Once this has resolved, `report` is not called any more. */
  stop(): Promise<void>;
}

/**
 * Calls `report` with the number of bytes received, from 0 on, whenever it has changed but no more than four times per
 * second. A failed call is followed by the next one.
 */
export function countBytes(report: (bytes: ByteProgress) => Promise<void>): ByteCounter {
  let now: ByteProgress = { done: 0, total: undefined };
  let reported: ByteProgress | undefined;
  let reporting = Promise.resolve();
  const look = (): void => {
    if (now === reported) return;
    reported = now;
    const bytes = now;
    reporting = reporting.then(() => report(bytes)).catch(() => undefined);
  };
  look();
  const timer = setInterval(look, reportMs);
  return {
    async *count(body, total) {
      now = { done: 0, total };
      for await (const chunk of body) {
        now = { done: now.done + chunk.length, total };
        yield chunk;
      }
    },
    async stop() {
      clearInterval(timer);
      await reporting;
    },
  };
}
