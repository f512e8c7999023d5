import { describe, expect, test } from "vitest";
import { choices, days, daysUpTo, fraction, meta, timeIn, where, wholeNumber, words } from "./flag-values.ts";
import type { Filter } from "@drs/client";

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

test.each<[string, Filter]>([
  ["year>=2020", { year: { $gte: 2020 } }],
  ["year > 2020", { year: { $gt: 2020 } }],
  ["year<2020", { year: { $lt: 2020 } }],
  ["year<=2020.5", { year: { $lte: 2020.5 } }],
  ["customer=42", { customer: { $eq: 42 } }],
  ['customer="42"', { customer: { $eq: "42" } }],
  ["customer!=acme ltd", { customer: { $ne: "acme ltd" } }],
  ["customer=[42,43]", { customer: { $in: [42, 43] } }],
  ['customer!=["a","b"]', { customer: { $nin: ["a", "b"] } }],
  ["draft=true", { draft: { $eq: true } }],
  ["tags~draft", { tags: { $contains: "draft" } }],
  ['formula="=a"', { formula: { $eq: "=a" } }],
  ["formula=a>=b", { formula: { $eq: "a>=b" } }],
  ["team", { team: { $exists: true } }],
  ["!team", { team: { $exists: false } }],
  ['{"$or":[{"a":1},{"b":2}]}', { $or: [{ a: 1 }, { b: 2 }] }],
])("%s", (text, filter) => {
  expect(where(text, undefined)).toEqual(filter);
});

test.each(["year==2020", "year=>2020", "year=<2020", "year<>2020", "year!==2020"])("%s: no operator", (text) => {
  expect(() => where(text, undefined)).toThrow(/no operator .* quotation marks/);
});

test("all of several have to hold", () => {
  expect(where("b=2", where("a=1", undefined))).toEqual({ $and: [{ a: { $eq: 1 } }, { b: { $eq: 2 } }] });
});

test.each(["", "=5", "!=5", '{"a":'])("%j is refused", (text) => {
  expect(() => where(text, undefined)).toThrow(/field|JSON/);
});

test("values of metadata are what they look like, and a name that comes again has a list", () => {
  const words = ["year=2024", "title=Annual report", 'code="007"', "final=true", "tags=a", "tags=b", "eq=a=b", "none="];
  expect(words.reduce((before, word) => meta(word, before), {})).toEqual({
    year: 2024,
    title: "Annual report",
    code: "007",
    final: true,
    tags: ["a", "b"],
    eq: "a=b",
    none: "",
  });
  expect(meta('pair=[1,"x"]')).toEqual({ pair: [1, "x"] });
  expect(() => meta("year")).toThrow(/NAME=VALUE/);
});
