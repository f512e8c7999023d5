import type { Clock } from "../clock.ts";
import type { Granted, RateStore } from "../ports/requests.ts";
import { stateOf, type Rate, type RateLimiter, type Taken } from "./token-buckets.ts";

/** The unused grants of this process for one rate, and its knowledge of the rest. */
interface Allotment {
  tokens: number;
  /** Requests that the store had left for all processes, as of `at`. */
  left: number;
  at: number;
  /** The pending request to the store; all who wait for more share it. */
  asking: Promise<void> | undefined;
  /** The store had none: it is not asked again before this time. */
  emptyUntil: number;
}

const minuteMs = 60_000;
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
    const { count: granted, left }: Granted = await store.grant(rate.id, { perMinute: rate.perMinute, count });
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
    async take(rates, count = 1): Promise<Taken> {
      for (;;) {
        const held = rates.map((rate) => ({ rate, allotment: allotmentOf(rate, clock()) }));
        const filled = await Promise.all(held.map(({ rate, allotment }) => refill(rate, allotment, count)));
        const isAllowed = filled.every(Boolean);
        // Others may have taken the tokens while the rest was awaited.
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
