import { expect, test } from "vitest";
import { lastMonths } from "./usage.ts";

test("the last months end with the current one, across years and short months", () => {
  expect(lastMonths(Date.UTC(2026, 1, 28, 23, 59), 3)).toEqual(["2025-12", "2026-01", "2026-02"]);
  expect(lastMonths(Date.UTC(2026, 2, 31), 2)).toEqual(["2026-02", "2026-03"]);
  expect(lastMonths(0, 1)).toEqual(["1970-01"]);
});
