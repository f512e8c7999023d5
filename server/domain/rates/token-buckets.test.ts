import { expect, test } from "vitest";
import { createTokenBuckets } from "./token-buckets.ts";

function bucketsAt(start: number, maxKept?: number) {
  const time = { now: start };
  return { time, buckets: createTokenBuckets(() => time.now, maxKept) };
}

const slow = { id: "a", perMinute: 3 };

test("a minute's requests may come at once, then they come back one by one", async () => {
  const { time, buckets } = bucketsAt(1_000_000);
  const remaining: number[] = [];
  for (let times = 0; times < 3; times++) remaining.push((await buckets.take([slow])).state.remaining);
  expect(remaining).toEqual([2, 1, 0]);
  const refused = { isAllowed: false, state: { perMinute: 3, remaining: 0, resetSeconds: 60 }, retryAfterSeconds: 20 };
  expect(await buckets.take([slow])).toEqual(refused);
  time.now += 19_999;
  expect(await buckets.take([slow])).toMatchObject({ isAllowed: false, retryAfterSeconds: 1 });
  time.now += 1;
  expect(await buckets.take([slow])).toMatchObject({ isAllowed: true });
  time.now += 3_600_000;
  expect(await buckets.take([slow])).toMatchObject({ isAllowed: true, state: { remaining: 2 } });
});

test("the scarcest of several rates decides, and a refusal takes from none of them", async () => {
  const { buckets } = bucketsAt(0);
  const one = { id: "b", perMinute: 1 };
  expect(await buckets.take([slow, one])).toMatchObject({ isAllowed: true, state: { perMinute: 1, remaining: 0 } });
  expect(await buckets.take([slow, one])).toMatchObject({ isAllowed: false, state: { perMinute: 1 } });
  expect(await buckets.take([slow])).toMatchObject({ isAllowed: true, state: { perMinute: 3, remaining: 1 } });
});

test("a lowered rate applies at once, and a clock that goes back adds nothing", async () => {
  const { time, buckets } = bucketsAt(1_000_000);
  await buckets.take([{ id: "c", perMinute: 1000 }]);
  expect(await buckets.take([{ id: "c", perMinute: 2 }])).toMatchObject({ state: { remaining: 1 } });
  time.now -= 500_000;
  expect(await buckets.take([{ id: "c", perMinute: 2 }])).toMatchObject({ state: { remaining: 0 } });
  expect(await buckets.take([{ id: "c", perMinute: 2 }])).toMatchObject({ isAllowed: false });
});

test("the number of callers is limited; the least recent ones are forgotten", async () => {
  const { buckets } = bucketsAt(0, 2);
  const one = (id: string) => buckets.take([{ id, perMinute: 1 }]);
  await one("x");
  await one("y");
  await one("z");
  expect(await one("z")).toMatchObject({ isAllowed: false });
  expect(await one("x")).toMatchObject({ isAllowed: true });
});
