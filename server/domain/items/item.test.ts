import fc from "fast-check";
import { expect, test } from "vitest";
import { newDatasetId } from "../ids.ts";
import { itemId, itemRows, parseItemId } from "./item.ts";

const datasetId = newDatasetId();

test("an item id encodes dataset, page and row", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 32 ** 5 - 1 }), fc.constantFrom(...itemRows), (page, row) => {
      expect(parseItemId(itemId({ datasetId, page, row }))).toEqual({ datasetId, page, row });
    }),
  );
});

test("item ids sort by page", () => {
  const ids = [1, 2, 10, 31, 32, 1023, 1024, 99_999].map((page) => itemId({ datasetId, page, row: "jpg" }));
  expect(ids.toSorted()).toEqual(ids);
});

test.each([
  "",
  "dsx_",
  datasetId,
  `dsx_${datasetId.slice(3)}00000j`,
  `dsx_${datasetId.slice(3)}00001x`,
  "dsx_../../etc/passwd",
])("%j is no item id", (text) => {
  expect(parseItemId(text)).toBeUndefined();
});

test("a page number that is too large for an id has none", () => {
  expect(() => itemId({ datasetId, page: 32 ** 5, row: "jpg" })).toThrow(/no item id/);
});
