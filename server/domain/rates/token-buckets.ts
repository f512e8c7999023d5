import type { Clock } from "../clock.ts";

/** A limit of requests per minute for one caller. */
export interface Rate {
  /** Identifies what the requests are counted for, such as a key or an organisation. */
  readonly id: string;
  readonly perMinute: number;
}

/** The state of a rate after a request. */
export interface RateState {
  readonly perMinute: number;
  /** Requests that could follow at once. */
  readonly remaining: number;
  /** Seconds until all of the minute's requests are available again. */
  readonly resetSeconds: number;
}

export type Taken =
  | { readonly isAllowed: true; readonly state: RateState }
  | { readonly isAllowed: false; readonly state: RateState; readonly retryAfterSeconds: number };

/**
 * Counts requests against rates. The token buckets of this file are for one process; processes that share a rate
 * use those of `shared-buckets.ts`.
 */
export interface RateLimiter {
  /**
   * Takes `count` requests (one by default) from every rate, or from none if one of them has fewer left. More than
   * a minute's requests are never available. Returns the state of the scarcest rate.
   */
  take(rates: readonly [Rate, ...Rate[]], count?: number): Promise<Taken>;
}

interface Bucket {
  tokens: number;
  at: number;
}

const minuteMs = 60_000;
/** Some 100 bytes each. The least recently used bucket is dropped first, and is most likely full again anyway. */
const maxBuckets = 50_000;

/** Token buckets: a minute's requests may come at once, and then as fast as the rate. */
export function createTokenBuckets(clock: Clock, maxKept = maxBuckets): RateLimiter {
  const buckets = new Map<string, Bucket>();

  function fill({ id, perMinute }: Rate, now: number): Bucket {
    const known = buckets.get(id);
    const elapsed = known === undefined ? 0 : Math.max(0, now - known.at);
    const tokens = Math.min(perMinute, (known?.tokens ?? perMinute) + (elapsed * perMinute) / minuteMs);
    const bucket: Bucket = { tokens, at: now };
    buckets.delete(id);
    buckets.set(id, bucket);
    const [oldest] = buckets.keys();
    if (oldest !== undefined && buckets.size > maxKept) buckets.delete(oldest);
    return bucket;
  }

  return {
    async take(rates, count = 1) {
      const now = clock();
      const filled = rates.map((rate) => ({ rate, bucket: fill(rate, now) }));
      const isAllowed = filled.every(({ bucket }) => bucket.tokens >= count);
      if (isAllowed) for (const { bucket } of filled) bucket.tokens -= count;
      return stateOf(
        filled.map(({ rate, bucket }) => ({ rate, tokens: bucket.tokens })),
        { isAllowed, count },
      );
    },
  };
}

/** The caller's view: the state of the scarcest rate. */
export function stateOf(
  standing: readonly { readonly rate: Rate; readonly tokens: number }[],
  { isAllowed, count }: { readonly isAllowed: boolean; readonly count: number },
): Taken {
  const [scarcest] = standing.toSorted((a, b) => a.tokens - b.tokens);
  if (scarcest === undefined) throw new Error("there is no rate to take from");
  const { rate, tokens } = scarcest;
  const secondsFor = (requests: number): number => Math.ceil((requests * 60) / rate.perMinute);
  const state: RateState = {
    perMinute: rate.perMinute,
    remaining: Math.floor(tokens),
    resetSeconds: secondsFor(rate.perMinute - tokens),
  };
  if (isAllowed) return { isAllowed, state };
  return { isAllowed, state, retryAfterSeconds: Math.max(1, secondsFor(Math.min(count, rate.perMinute) - tokens)) };
}
