import { expect, test } from "vitest";
import { filterOfText, metadataOfText } from "./metadata-text.ts";

test.each([
  ["", undefined],
  ["customer=42", { customer: { $eq: 42 } }],
  ["year >= 2020, tags~draft", { $and: [{ year: { $gte: 2020 } }, { tags: { $contains: "draft" } }] }],
  ["name!=true", { name: { $ne: true } }],
  ['code="007"', { code: { $eq: "007" } }],
  ["zip=007", { zip: { $eq: "007" } }],
  ["team", { team: { $exists: true } }],
  ["!team", { team: { $exists: false } }],
  ['{"$not":{"a":1}}', { $not: { a: 1 } }],
])("the filter %s", (text, filter) => expect(filterOfText(text)).toEqual(filter));

test.each(["=42", "year>=", "{", "a=1,,b=2"])("%s is no filter", (text) => {
  expect(() => filterOfText(text)).toThrow(TypeError);
});

test("lines of metadata have types, and lists where a field is named again", () => {
  expect(metadataOfText("customer=42\n\n tags=a \ntags=b\ndraft=false")).toEqual({
    customer: 42,
    tags: ["a", "b"],
    draft: false,
  });
  expect(() => metadataOfText("customer")).toThrow(TypeError);
});
