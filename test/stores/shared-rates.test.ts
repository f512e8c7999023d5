import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import {
  createSharedBuckets,
  type Rate,
  type RateLimiter,
  type RateDecision,
} from "../../server/domain/rates/token-buckets.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";

const processes = 3;
let folder: string;
let now: number;
let writes: number;
let stores: Metadata[];
let limiters: RateLimiter[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-rates-"));
  [now, writes] = [1_790_000_000_000, 0];
  const clock = (): number => now;
  const open = () => openMetadata({ url: undefined, dataDir: folder, clock });
  stores = await Promise.all(Array.from({ length: processes }, open));
  limiters = stores.map(({ rates }) =>
    createSharedBuckets(
      {
        async grant(...args) {
          writes += 1;
          return rates.grant(...args);
        },
      },
      clock,
    ),
  );
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true });
});

const rate = (perMinute: number, id = "key"): Rate => ({ id, perMinute });

/** How many of so many requests, spread over the processes, are let through. */
async function allowed(count: number, ...rates: readonly [Rate, ...Rate[]]): Promise<number> {
  const taken = await Promise.all(Array.from({ length: count }, (_, index) => take(index % processes, rates)));
  return taken.filter(({ isAllowed }) => isAllowed).length;
}

async function take(process: number, rates: readonly [Rate, ...Rate[]]): Promise<RateDecision> {
  const limiter = limiters[process];
  if (limiter === undefined) throw new Error(`there is no process ${process}`);
  return limiter.take(rates);
}

test("several processes let through what one would, without a write for each request", async () => {
  // What one was granted and did not need is used with the next requests that come to it.
  const burst = await allowed(1_000, rate(600));
  expect(burst).toBeGreaterThanOrEqual(600 - 2 * 30);
  expect(burst + (await allowed(300, rate(600)))).toBe(600);
  expect(writes).toBeLessThanOrEqual(20 + 2 * processes);
  const before = writes;
  expect(await allowed(300, rate(600))).toBe(0);
  // They know that there is none.
  expect(writes).toBe(before);
  now += 30_000;
  expect((await allowed(1_000, rate(600))) + (await allowed(300, rate(600)))).toBe(300);
});

test("what one process holds back is a twentieth of a minute's requests, and for a minute at most", async () => {
  const [one, other] = limiters;
  await one?.take([rate(100)]);
  let count = 0;
  while ((await other?.take([rate(100)]))?.isAllowed === true) count += 1;
  expect(count).toBe(95);
  now += 120_000;
  expect(await allowed(300, rate(100))).toBe(100);
});

test("a caller is told how the scarcest of its rates stands, and nothing is taken where one has none left", async () => {
  const [one] = limiters;
  const both = [rate(60, "workspace"), rate(2, "key")] as const;
  expect(await one?.take(both)).toEqual({
    isAllowed: true,
    state: { perMinute: 2, remaining: 1, resetSeconds: 30 },
  });
  expect(await allowed(2, ...both)).toBe(1);
  const refused = await one?.take(both);
  expect(refused).toMatchObject({ isAllowed: false, state: { perMinute: 2, remaining: 0 }, retryAfterSeconds: 30 });
  expect(await allowed(100, rate(60, "workspace"))).toBe(58);
});

test("a call of several requests is let through whole or not at all, and one of more than a minute's never", async () => {
  const [limiter] = limiters;
  if (limiter === undefined) throw new Error("there is no process");
  const taken: boolean[] = [];
  for (const count of [7, 2, 2, 1, 11]) taken.push((await limiter.take([rate(10)], count)).isAllowed);
  expect(taken).toEqual([true, true, false, true, false]);
  now += 60_000;
  expect((await limiter.take([rate(10)], 11)).isAllowed).toBe(false);
  expect((await limiter.take([rate(10)], 10)).isAllowed).toBe(true);
});
