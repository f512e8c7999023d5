import { expect, test } from "vitest";
import { leastInASecond } from "./sheet.ts";

test("the worst second is found wherever it begins", () => {
  const steady = Array.from({ length: 181 }, (_, index) => (index * 1000) / 60);
  expect(leastInASecond(steady)).toBe(60);
  // From 1.5 s on nothing is drawn for half a second.
  const stalled = steady.filter((at) => at <= 1500 || at >= 2000);
  expect(leastInASecond(stalled)).toBe(31);
});

test("a series of less than a second has its mean rate", () => {
  expect(leastInASecond([0, 20, 40, 60, 80, 100])).toBe(50);
});
