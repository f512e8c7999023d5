import type { Filter } from "@drs/client";
import { expect, test } from "vitest";
import { meta } from "./meta.ts";
import { where } from "./where.ts";

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
