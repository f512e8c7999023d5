import { expect, test } from "vitest";
import { filterOfText, metadataOfText, textOfFilter } from "./metadata-text.ts";

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

test.each([
  ['name="Smith, Jones", year=2020', { $and: [{ name: { $eq: "Smith, Jones" } }, { year: { $eq: 2020 } }] }],
  [
    'customer=["north","south"], year>2020',
    { $and: [{ customer: { $in: ["north", "south"] } }, { year: { $gt: 2020 } }] },
  ],
])("commas in quotation marks and in lists end no condition: %s", (text, filter) => {
  expect(filterOfText(text)).toEqual(filter);
});

test.each([
  [{ customer: 42 }, "customer=42"],
  [{ team: "sales team", year: { $gte: 2020, $lt: 2024 } }, "team=sales team, year>=2020, year<2024"],
  [{ $and: [{ tags: { $contains: "draft" } }, { team: { $exists: false } }] }, "tags~draft, !team"],
  [{ customer: { $in: ["north", "south"] } }, 'customer=["north","south"]'],
  [{ zip: { $eq: "42" }, name: "a, b" }, 'zip="42", name="a, b"'],
  [{ $or: [{ a: 1 }, { b: 2 }] }, '{"$or":[{"a":1},{"b":2}]}'],
  [{ "a=b": 1 }, '{"a=b":1}'],
])("the filter %j is written %s, and means the same when it is read", (filter, text) => {
  expect(textOfFilter(filter)).toBe(text);
  expect(textOfFilter(filterOfText(text) ?? {})).toBe(text);
});

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
