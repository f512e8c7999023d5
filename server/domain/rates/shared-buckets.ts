import type { Clock } from "../clock.ts";
import type { Granted, RateStore } from "../ports/rates.ts";
import { stateOf, type Rate, type RateLimiter, type Taken } from "./token-buckets.ts";

/** What this process has been granted of one rate and not used, and what it knows of the rest. */
interface Allotment {
  tokens: number;
  /** Of what the store had left for all, as of `at`. */
  left: number;
  at: number;
  /** Under way: all who wait for more share it. */
  asking: Promise<void> | undefined;
  /** The store had none: it is not asked again before. */
  emptyUntil: number;
}

const minuteMs = 60_000;
/** A twentieth of a minute's requests at a time: at most some twenty writes a minute, whatever the rate. */
const grantsPerMinute = 20;
/** A rate is full again after so long, so what is left of a grant is worth nothing more then. */
const staleMs = minuteMs;
const maxKept = 50_000;

/**
 * Token buckets that several processes share. Each takes some of a minute's requests from the store at a time and lets them
 * through without asking again; together they let through what the rate says, and what the others have taken and not used
 * is missing: a twentieth of a minute's requests for each.
 */
export function createSharedBuckets(store: Pick<RateStore, "grant">, clock: Clock): RateLimiter {
  const kept = new Map<string, Allotment>();

  function allotmentOf({ id }: Rate, now: number): Allotment {
    const known = kept.get(id);
    const isStale = known !== undefined && known.asking === undefined && now - known.at > staleMs;
    const allotment =
      known === undefined || isStale
        ? { tokens: 0, left: 0, at: now, asking: undefined, emptyUntil: -Infinity }
        : known;
    kept.delete(id);
    kept.set(id, allotment);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size > maxKept) kept.delete(oldest);
    return allotment;
  }

  async function ask(rate: Rate, allotment: Allotment, wanted: number): Promise<void> {
    const count = Math.max(Math.ceil(wanted - allotment.tokens), Math.ceil(rate.perMinute / grantsPerMinute));
    const { count: granted, left }: Granted = await store.grant(rate.id, { perMinute: rate.perMinute, count });
    const now = clock();
    allotment.tokens += granted;
    allotment.left = left;
    allotment.at = now;
    if (granted === 0) allotment.emptyUntil = now + ((1 - left) * minuteMs) / Math.max(rate.perMinute, 1);
  }

  /** True once this process has so many requests of the rate to let through; false if there are no more for anyone. */
  async function refill(rate: Rate, allotment: Allotment, wanted: number): Promise<boolean> {
    if (wanted > rate.perMinute) return false;
    while (allotment.tokens < wanted) {
      if (allotment.emptyUntil > clock()) return false;
      allotment.asking ??= ask(rate, allotment, wanted).finally(() => (allotment.asking = undefined));
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
        // Others may have taken what came while the rest was waited for.
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
