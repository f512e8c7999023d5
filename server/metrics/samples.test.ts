import { expect, test } from "vitest";
import { cached } from "./samples.ts";

test("a sample is read once for all scrapes within some seconds, and a failure has no value", async () => {
  let now = 0;
  let reads = 0;
  const read = cached(
    async () => {
      reads += 1;
      if (reads === 2) throw new Error("the store is away");
      return reads;
    },
    () => now,
  );
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  now = 4_999;
  expect(await read()).toBe(1);
  now = 5_000;
  expect(await read()).toBeUndefined();
  now = 10_000;
  expect(await read()).toBe(3);
});

test("a store that hangs is read once, and keeps nobody waiting", async () => {
  let now = 0;
  let reads = 0;
  const read = cached(
    () => {
      reads += 1;
      return new Promise<number>(() => undefined);
    },
    () => now,
  );
  expect(await read()).toBeUndefined();
  now = 60_000;
  expect(await read()).toBeUndefined();
  expect(reads).toBe(1);
});
