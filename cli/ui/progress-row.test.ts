import { expect, test } from "vitest";
import { createRate } from "./progress-row.ts";

test("is that of the last seconds, from the first change on", () => {
  let now = 0;
  const rate = createRate(() => now);
  const at = (seconds: number, amount: number): number | undefined => {
    now = seconds * 1000;
    return rate(amount);
  };
  expect([at(0, 0), at(30, 0), at(30.5, 100)]).toEqual([undefined, undefined, undefined]);
  expect(at(32, 300)).toBe(150);
  expect(at(35, 500)).toBe(100);
  // A stall lowers it, and after the window nothing of the earlier time is left.
  expect(at(40, 500)).toBe(50);
  expect(at(50, 500)).toBe(0);
  expect(at(51, 700)).toBeLessThan(30);
});
