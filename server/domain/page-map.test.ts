import { expect, test } from "vitest";
import { rememberParsed, rememberTexts } from "./page-map.ts";

const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    datasetId: `ds_${at % 7}`,
    page: at,
    generation: at % 3 === 0 ? "" : "a",
  }));

test("a text is made once per row, and differs between rows", () => {
  let made = 0;
  const textOf = rememberTexts(({ datasetId, page, generation }) => `${datasetId} ${page} ${generation} ${made++}`);
  const some = rows(100);
  const texts = some.map(textOf);
  expect(new Set(texts).size).toBe(100);
  expect(some.map((row) => textOf({ ...row }))).toEqual(texts);
  expect(made).toBe(100);
});

test("a failure is not cached", () => {
  const textOf = rememberTexts(() => {
    throw new TypeError("no row");
  });
  const [row = { datasetId: "", page: 0, generation: "" }] = rows(1);
  expect(() => textOf(row)).toThrow("no row");
  expect(() => textOf(row)).toThrow("no row");
});

test("the cache is limited in size", () => {
  let made = 0;
  const textOf = rememberTexts(({ page }) => `${page} ${made++}`);
  const all = rows(50_001);
  const [first = { datasetId: "", page: 0, generation: "" }] = all;
  for (const row of all) textOf(row);
  textOf(first);
  expect(made).toBe(50_002);
});

test("a text is parsed once, if it is valid", () => {
  let parsed = 0;
  const parse = rememberParsed((text) => {
    parsed += 1;
    return text === "" ? undefined : { text };
  });
  expect([parse("a"), parse("a"), parse("b")]).toEqual([{ text: "a" }, { text: "a" }, { text: "b" }]);
  expect(parsed).toBe(2);
  expect([parse(""), parse("")]).toEqual([undefined, undefined]);
  expect(parsed).toBe(4);
});
