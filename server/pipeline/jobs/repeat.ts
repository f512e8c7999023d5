import { setTimeout as sleep } from "node:timers/promises";
import { DomainError } from "../../domain/errors.ts";

/**
 * Retries until `attempt` succeeds or fails for good. An `unavailable` failure may pass by itself and is followed by the next of
 * the waits, in milliseconds. The last failure tells the number of tries.
 */
export async function repeat<Result>(
  attempt: () => Promise<Result>,
  { waitsMs, signal }: { waitsMs: readonly number[]; signal: AbortSignal },
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof DomainError) || cause.kind !== "unavailable") throw cause;
      const wait = waitsMs[failures];
      if (wait === undefined)
        throw new DomainError(cause.kind, `${cause.message} (tried ${failures + 1} times)`, { cause });
      await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
