import { expect, test } from "vitest";
import { dayEnd, dayStart, daysUpTo } from "./days.ts";

test("a day reaches from midnight to midnight where the browser is", () => {
  expect(dayStart("2026-11-22")).toBe(new Date(2026, 10, 22).getTime());
  expect(dayEnd("2026-11-30")).toBe(new Date(2026, 11, 1).getTime());
  // Wherever the clock is put forward or back in the year, days end where the next begin.
  for (let day = 1; day < 365; day += 1) {
    const text = new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10);
    const next = new Date(Date.UTC(2026, 0, day + 1)).toISOString().slice(0, 10);
    expect(dayEnd(text)).toBe(dayStart(next));
  }
});

test("what is no day is none", () => {
  expect([dayStart(""), dayStart("soon"), dayEnd(""), dayEnd("2026-13-01")]).toEqual(Array(4).fill(undefined));
});

test("days are counted back over the ends of months", () => {
  expect(daysUpTo("2026-03-01", 3)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
});
