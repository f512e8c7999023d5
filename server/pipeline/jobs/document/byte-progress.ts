import type { ByteProgress } from "../../../domain/jobs/job.ts";

/** Four times per second looks live. */
const tellMs = 250;

export interface ByteCounter {
  /** The bytes as they are, counted; the total in bytes, if it is known. */
  count(body: AsyncIterable<Uint8Array>, total: number | undefined): AsyncIterable<Uint8Array>;
  /** When this has resolved `tell` is called no more. */
  stop(): Promise<void>;
}

/**
 * Calls `tell` with the number of bytes received, from 0 on, whenever it has changed but no more than four times per
 * second. A call that fails is followed by the next one.
 */
export function countBytes(tell: (bytes: ByteProgress) => Promise<void>): ByteCounter {
  let now: ByteProgress = { done: 0, total: undefined };
  let told: ByteProgress | undefined;
  let telling = Promise.resolve();
  const look = (): void => {
    if (now === told) return;
    told = now;
    const bytes = now;
    telling = telling.then(() => tell(bytes)).catch(() => undefined);
  };
  look();
  const timer = setInterval(look, tellMs);
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
      await telling;
    },
  };
}
