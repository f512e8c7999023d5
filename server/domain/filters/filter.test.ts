import { assert, property } from "fast-check";
import { expect, test } from "vitest";
import { filterJson, metadata } from "../../../test/stores/testing/filters.ts";
import { type DatasetMetadata, isScalar } from "../datasets/metadata.ts";
import { liesWithin, matches } from "./filter.ts";
import { readFilter } from "./read.ts";

test.each<[filter: unknown, metadata: DatasetMetadata, within: boolean]>([
  [{ customer: 1 }, { customer: 1 }, true],
  [{ customer: 1 }, { customer: [1, 1] }, true],
  [{ customer: 1 }, { customer: [1, 2] }, false],
  [{ customer: 1 }, { customer: [] }, false],
  [{ customer: 1 }, { region: ["eu", "us"] }, false],
  [{ customer: 1 }, { customer: 1, region: ["eu", "us"] }, true],
  [{ customer: { $in: [1, 2] } }, { customer: [1, 2] }, true],
  [{ customer: { $in: [1, 2] } }, { customer: [1, 2, 3] }, false],
  [{ customer: { $nin: [3] } }, { customer: [1, 3] }, false],
  [{ $not: { $not: { customer: 1 } } }, { customer: [1, 2] }, false],
  [{ tags: { $contains: "a" } }, { tags: ["a", "b"] }, false],
  [{ tags: { $contains: "a" } }, { tags: ["a"] }, true],
  [{ tags: { $contains: "a" } }, { tags: "ab" }, true],
  [{ tags: { $contains: "a" } }, { tags: ["ab"] }, false],
  [{ year: { $gte: 2020, $lt: 2030 } }, { year: [2021, 2029] }, true],
  [{ year: { $gte: 2020 } }, { year: [2021, 2019] }, false],
  [{ year: { $gte: 2020 } }, { year: [2021, "2021"] }, false],
  [{ customer: { $exists: true } }, { customer: [1, 2] }, true],
  [{ customer: { $exists: false } }, { customer: [] }, false],
  [{ $or: [{ customer: 1 }, { customer: 2 }] }, { customer: [1, 2] }, true],
  [{ $or: [{ customer: 1 }, { team: "a" }] }, { customer: [1, 2], team: "a" }, true],
  // Found by a key that is bound to customer 2 and team b.
  [{ $or: [{ customer: 1 }, { team: "a" }] }, { customer: [1, 2], team: ["a", "b"] }, false],
])("%j: %j lies within: %j", (filter, metadata, within) => {
  expect(liesWithin(readFilter(filter), metadata)).toBe(within);
});

test("lists with too many values to try are refused, but only if the filter refers to them", () => {
  const many = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, Array.from({ length: 6 }, (_, at) => at)]));
  const any = readFilter({ $or: ["a", "b", "c", "d"].map((name) => ({ [name]: { $gte: 0 } })) });
  expect(matches(any, many)).toBe(true);
  expect(liesWithin(any, many)).toBe(false);
  expect(liesWithin(readFilter({ $or: [{ a: { $gte: 0 } }, { b: 1 }] }), many)).toBe(true);
});

test("metadata lies within a filter if and only if it passes with every choice of one value of each list", () => {
  assert(
    property(filterJson, metadata, (json, said) => {
      const filter = readFilter(json);
      const within = liesWithin(filter, said);
      expect(within).toBe(allChoices(Object.entries(said)).every((choice) => matches(filter, choice)));
      if (within) expect(matches(filter, said)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

/** All combinations of one value per list. */
function allChoices(entries: readonly (readonly [string, DatasetMetadata[string]])[]): DatasetMetadata[] {
  const [first, ...rest] = entries;
  if (first === undefined) return [{}];
  const [name, value] = first;
  const values = isScalar(value) ? [value] : value.length === 0 ? [[]] : value.map((one) => [one]);
  return allChoices(rest).flatMap((others) => values.map((one) => ({ [name]: one, ...others })));
}
