import { describe, expect, test } from "vitest";
import { choices, days, daysUpTo, fraction, timeIn, wholeNumber, words } from "./flag-values.ts";

describe("whole numbers", () => {
  test.each([
    ["1", 1],
    ["64", 64],
    ["007", 7],
  ])("%j is %d", (text, value) => {
    expect(wholeNumber(1, 64)(text)).toBe(value);
  });

  test.each(["0", "65", "-1", "1.5", "1e1", "0x10", "", " ", "4 "])("%j is none from 1 to 64", (text) => {
    expect(() => wholeNumber(1, 64)(text)).toThrow("a whole number from 1 to 64");
  });
});

describe("fractions", () => {
  test.each([
    ["0", 0],
    ["0.35", 0.35],
    ["1", 1],
  ])("%j is %d", (text, value) => {
    expect(fraction(text)).toBe(value);
  });

  test.each(["-0.1", "1.01", "", " ", "NaN", "half"])("%j is none", (text) => {
    expect(() => fraction(text)).toThrow("a number from 0 to 1");
  });
});

describe("days", () => {
  test.each([
    ["7", 7],
    ["0.5", 0.5],
    ["36500", 36_500],
    ["-1", -1],
  ])("%j is %d", (text, value) => {
    expect(days(text)).toBe(value);
  });

  test.each(["0", "-2", "-0.5", "36501", "", " ", "Infinity", "a week"])("%j is no time to keep a dataset", (text) => {
    expect(() => days(text)).toThrow("-1 (never), or more than 0");
  });

  test("where nothing is kept for ever, -1 is refused as well", () => {
    expect(daysUpTo(3_650)("3650")).toBe(3_650);
    for (const text of ["-1", "0", "3651", ""]) expect(() => daysUpTo(3_650)(text)).toThrow("at most 3650");
  });
});

describe("lists", () => {
  test("are collected over repetitions, and empty words fall away", () => {
    expect(words("ds_1, ds_2,,", ["ds_0"])).toEqual(["ds_0", "ds_1", "ds_2"]);
    expect(choices(["read", "write"])("write, read", ["read"])).toEqual(["read", "write", "read"]);
  });

  test("a word that is no choice is named with what there is", () => {
    expect(() => choices(["read", "write"])("read,delete")).toThrow('"delete" is not one of read, write.');
    expect(() => choices(["read", "write"])("")).toThrow('"" is not one of');
  });
});

test("times are of ISO 8601, and UTC where they have no zone", () => {
  expect(timeIn("2026-11-01")).toBe(Date.UTC(2026, 10, 1));
  expect(timeIn("2026-11-01T12:30")).toBe(Date.UTC(2026, 10, 1, 12, 30));
  expect(timeIn("2026-11-01T12:30:05+01:00")).toBe(Date.UTC(2026, 10, 1, 11, 30, 5));
  for (const wrong of ["yesterday", "1", "2026-13-01", "2026-11-01 12:30", ""]) {
    expect(() => timeIn(wrong)).toThrow("It must be a date or a time");
  }
});
