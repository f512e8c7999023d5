import { expect, test } from "vitest";
import { createGate, forEachConcurrent } from "./lanes.ts";

/** Lets all pending work proceed. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("takes entries only when there is room", async () => {
  let taken = 0;
  async function* entries(): AsyncGenerator<number> {
    for (let entry = 0; entry < 10; entry += 1) {
      taken += 1;
      yield entry;
    }
  }
  const held: (() => void)[] = [];
  const done: number[] = [];
  const all = forEachConcurrent(entries(), 3, async (entry) => {
    await new Promise<void>((resolve) => held.push(resolve));
    done.push(entry);
  });
  await settle();
  expect([taken, held.length]).toEqual([3, 3]);
  held.shift()?.();
  await settle();
  expect([taken, done]).toEqual([4, [0]]);
  while (done.length < 10) {
    held.shift()?.();
    await settle();
  }
  await all;
});

test("the first failure ends it, but not before what had begun has ended", async () => {
  let closed = false;
  async function* entries(): AsyncGenerator<number> {
    try {
      for (let entry = 0; ; entry += 1) yield entry;
    } finally {
      closed = true;
    }
  }
  let release: (() => void) | undefined;
  let ended = false;
  const all = forEachConcurrent(entries(), 2, async (entry) => {
    if (entry === 1) throw new Error("no");
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    ended = true;
  });
  await settle();
  expect(closed).toBe(false);
  release?.();
  await expect(all).rejects.toThrow("no");
  expect([ended, closed]).toEqual([true, true]);
});

test("a gate lets through in order, and goes on after failures", async () => {
  const gate = createGate(2);
  let inside = 0;
  let maxInside = 0;
  const order: number[] = [];
  const works = Array.from({ length: 8 }, (_, index) =>
    gate(async () => {
      inside += 1;
      maxInside = Math.max(maxInside, inside);
      await settle();
      order.push(index);
      inside -= 1;
      if (index % 3 === 0) throw new Error("no");
    }),
  );
  const outcomes = await Promise.allSettled(works);
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(3);
  expect(maxInside).toBe(2);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});
