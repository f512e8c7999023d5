import { expect, test } from "vitest";
import { formatDuration } from "./amounts.ts";

test.each([
  [999, "less than a second"],
  [1_000, "1 s"],
  [59_400, "59 s"],
  [60_000, "1 min"],
  [200_000, "3 min 20 s"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
])("%i ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
