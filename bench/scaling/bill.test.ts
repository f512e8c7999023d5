import { expect, it } from "vitest";
import { billOf, totalOf } from "./bill.ts";

it("a bill is what amounts cost at the prices, and doubles with the amounts", () => {
  const prices = { objectGbMonth: 2, databaseGbMonth: 3, coreHour: 5, thousandWrites: 7, thousandReads: 11 };
  const amounts = { objectBytes: 1e9, databaseBytes: 2e9, coreHours: 3, writes: 1_000, reads: 2_000 };
  const lines = billOf(amounts, prices);
  expect(lines.map(({ cost }) => cost)).toEqual([2, 6, 15, 7, 22]);
  expect(totalOf(lines)).toBe(52);
});
