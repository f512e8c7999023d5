import type { Clock } from "../domain/clock.ts";

export interface StoreClock {
  readonly now: Clock;
  stop(): void;
}

/**
 * The interval between comparisons. A process's clock hardly drifts in this time; after its machine has slept, it is
 * wrong for this long at most.
 */
const compareMs = 10_000;

/**
 * Returns the store's clock as a function that does not wait: a monotonic clock counts the time since the store was last
 * asked. Processes of many hosts agree to within the duration of a response.
 */
export async function startStoreClock(ask: () => Promise<number>, everyMs = compareMs): Promise<StoreClock> {
  let ahead = 0;
  async function compare(): Promise<void> {
    const before = performance.now();
    const at = await ask();
    ahead = at - (before + performance.now()) / 2;
  }
  await compare();
  // If the store does not answer, the last answer is used until it is asked again.
  const timer = setInterval(() => void compare().catch(() => undefined), everyMs).unref();
  return { now: () => Math.round(performance.now() + ahead), stop: () => clearInterval(timer) };
}
