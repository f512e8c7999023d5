import type { Clock } from "../domain/clock.ts";

export interface StoreClock {
  readonly now: Clock;
  stop(): void;
}

/** How far the clock of a process drifts in this time is nothing; after a sleep of its machine it is wrong for as long. */
const compareMs = 10_000;

/**
 * The store's clock as a function that does not wait: what passed since it was last asked is counted by a clock that nobody
 * sets. Processes of many hosts agree by it to within what an answer takes.
 */
export async function startStoreClock(ask: () => Promise<number>, everyMs = compareMs): Promise<StoreClock> {
  let ahead = 0;
  async function compare(): Promise<void> {
    const before = performance.now();
    const at = await ask();
    ahead = at - (before + performance.now()) / 2;
  }
  await compare();
  // A store that does not answer now is asked again; until then the last answer counts.
  const timer = setInterval(() => void compare().catch(() => undefined), everyMs).unref();
  return { now: () => Math.round(performance.now() + ahead), stop: () => clearInterval(timer) };
}
