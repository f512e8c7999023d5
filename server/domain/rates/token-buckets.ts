import type { Clock } from "../clock.ts";
import type { RateGrant, RateStore } from "../ports/requests.ts";

/** A limit of requests per minute for one caller. */
export interface Rate {
  /** Identifies what the requests are counted for, such as a key or an organisation. */
  readonly id: string;
  readonly perMinute: number;
}

/** The state of a rate after a request. */
export interface RateState {
  readonly perMinute: number;
  /** Number of further requests that would be allowed immediately. */
  readonly remaining: number;
  /** Seconds until all of the minute's requests are available again. */
  readonly resetSeconds: number;
}

export type RateDecision =
  | { readonly isAllowed: true; readonly state: RateState }
  | { readonly isAllowed: false; readonly state: RateState; readonly retryAfterSeconds: number };

/**
 * Counts requests against rates: `createTokenBuckets` for one process, `createSharedBuckets` for processes that
 * share a rate.
 */
export interface RateLimiter {
  /**
   * Takes `count` requests (one by default) from every rate, or from none if one of them has fewer left. More than
   * a minute's requests are never available. Returns the state of the scarcest rate.
   */
  take(rates: readonly [Rate, ...Rate[]], count?: number): Promise<RateDecision>;
}

interface Bucket {
  tokens: number;
  at: number;
}

const minuteMs = 60_000;
/** Some 100 bytes each. The least recently used bucket is dropped first; it is most likely full again. */
const maxBuckets = 50_000;

/** Token buckets: a minute's requests may arrive at once; further ones are admitted at the rate. */
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
function stateOf(
  standing: readonly { readonly rate: Rate; readonly tokens: number }[],
  { isAllowed, count }: { readonly isAllowed: boolean; readonly count: number },
): RateDecision {
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

/** The unused grants of this process for one rate, and the rest that the store last reported. */
interface Allotment {
  tokens: number;
  /** Requests that the store had left for all processes, as of `at`. */
  left: number;
  at: number;
  /** The pending request to the store, shared by all calls that wait for more. */
  asking: Promise<void> | undefined;
  /** If the store had no requests left, it is not asked again before this time. */
  emptyUntil: number;
}

/** A twentieth of a minute's requests per grant: at most some twenty writes a minute, whatever the rate. */
const grantsPerMinute = 20;
/** A rate is full again after this time, so the rest of a grant is worthless then. */
const staleMs = minuteMs;
const maxAllotments = 50_000;

/**
 * Token buckets that several processes share. Each process takes a batch of a minute's requests from the store and
 * admits them without asking again. Together they admit the rate, less what the other processes have taken and not
 * used: a twentieth of a minute's requests each.
 */
export function createSharedBuckets(store: Pick<RateStore, "grant">, clock: Clock): RateLimiter {
  const allotments = new Map<string, Allotment>();

  function allotmentOf({ id }: Rate, now: number): Allotment {
    const known = allotments.get(id);
    const isStale = known !== undefined && known.asking === undefined && now - known.at > staleMs;
    const allotment =
      known === undefined || isStale
        ? { tokens: 0, left: 0, at: now, asking: undefined, emptyUntil: -Infinity }
        : known;
    allotments.delete(id);
    allotments.set(id, allotment);
    const [oldest] = allotments.keys();
    if (oldest !== undefined && allotments.size > maxAllotments) allotments.delete(oldest);
    return allotment;
  }

  async function ask(rate: Rate, allotment: Allotment, requested: number): Promise<void> {
    const count = Math.max(Math.ceil(requested - allotment.tokens), Math.ceil(rate.perMinute / grantsPerMinute));
    const { count: granted, left }: RateGrant = await store.grant(rate.id, { perMinute: rate.perMinute, count });
    const now = clock();
    allotment.tokens += granted;
    allotment.left = left;
    allotment.at = now;
    if (granted === 0) allotment.emptyUntil = now + ((1 - left) * minuteMs) / Math.max(rate.perMinute, 1);
  }

  /**
   * Resolves with true once this process may admit `requested` requests of the rate; with false if there are no
   * more for anyone.
   */
  async function refill(rate: Rate, allotment: Allotment, requested: number): Promise<boolean> {
    if (requested > rate.perMinute) return false;
    while (allotment.tokens < requested) {
      if (allotment.emptyUntil > clock()) return false;
      allotment.asking ??= ask(rate, allotment, requested).finally(() => (allotment.asking = undefined));
      await allotment.asking;
    }
    return true;
  }

  return {
    async take(rates, count = 1): Promise<RateDecision> {
      for (;;) {
        const held = rates.map((rate) => ({ rate, allotment: allotmentOf(rate, clock()) }));
        const filled = await Promise.all(held.map(({ rate, allotment }) => refill(rate, allotment, count)));
        const isAllowed = filled.every(Boolean);
        // Other calls may have taken the tokens during the wait.
        if (isAllowed && held.some(({ allotment }) => allotment.tokens < count)) continue;
        if (isAllowed) for (const { allotment } of held) allotment.tokens -= count;
        const now = clock();
        const standing = held.map(({ rate, allotment: { tokens, left, at } }) => {
          const refilled = left + (Math.max(0, now - at) * rate.perMinute) / minuteMs;
          return { rate, tokens: Math.min(rate.perMinute, tokens + refilled) };
        });
        return stateOf(standing, { isAllowed, count });
      }
    },
  };
}
