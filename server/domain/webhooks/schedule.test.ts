import { expect, test } from "vitest";
import { pauseAfter } from "./schedule.ts";

test("eight tries, with pauses that grow", () => {
  const pauses = Array.from({ length: 9 }, (_, failed) => pauseAfter(failed + 1, undefined, 0));
  expect(pauses).toEqual(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
      .map((s) => s * 1_000)
      .concat(NaN, NaN)
      .map((ms) => (Number.isNaN(ms) ? undefined : ms)),
  );
});

test("a pause is up to a fifth longer, and as long as the receiver requests, up to ten hours", () => {
  expect(pauseAfter(1, undefined, 1)).toBe(6_000);
  expect(pauseAfter(1, 90_000, 0.5)).toBe(90_000);
  expect(pauseAfter(2, 90_000, 0)).toBe(300_000);
  expect(pauseAfter(1, 1e12, 0)).toBe(36_000_000);
});
