import fc from "fast-check";
import { expect, test } from "vitest";
import { largestAt } from "./largest-at.ts";

test("it is what sorting finds", () => {
  const values = fc.float32Array({ noNaN: true, maxLength: 200 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 250 }), (some, rank) => {
      const before = some.slice();
      const sorted = some.toSorted();
      // Zeros of both signs are equal.
      expect(largestAt(some, rank) + 0).toBe((sorted[Math.max(0, sorted.length - rank)] ?? -Infinity) + 0);
      expect(some).toEqual(before);
    }),
  );
});

test("few of many are what sorting finds", () => {
  const values = fc.float32Array({ noNaN: true, minLength: 100, maxLength: 2_000, size: "max" });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 60 }), (some, rank) => {
      expect(largestAt(some, rank) + 0).toBe((some.toSorted().at(-Math.min(rank, some.length)) ?? -Infinity) + 0);
    }),
  );
});

test("many equal values, and none", () => {
  expect(largestAt(new Float32Array(1_000).fill(0.5), 120)).toBe(0.5);
  expect(largestAt(new Float32Array(1_000).fill(-Infinity), 2)).toBe(-Infinity);
  expect(largestAt(new Float32Array(), 1)).toBe(-Infinity);
});
