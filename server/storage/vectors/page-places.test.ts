import { expect, test } from "vitest";
import { type DatasetId, newDatasetId } from "../../domain/ids.ts";
import { datasetsWithin } from "./filters.ts";
import { createPagePlaces } from "./page-places.ts";

test("rows are numbered as they come, by dataset, generation and page", () => {
  const places = createPagePlaces();
  const [one, other] = [newDatasetId(), newDatasetId()];
  const rows = [
    { datasetId: one, generation: "", page: 1 },
    { datasetId: one, generation: "a", page: 1 },
    { datasetId: other, generation: "", page: 1 },
    { datasetId: one, generation: "", page: 2_000_000 },
  ];
  rows.forEach(places.push);
  expect(rows.map(places.placeOf)).toEqual([0, 1, 2, 3]);
  expect(rows.map((_, place) => places.pageAt(place))).toEqual(rows);
  expect(places.placeOf({ datasetId: other, generation: "a", page: 1 })).toBeUndefined();
  expect(places.placeOf({ datasetId: one, generation: "", page: 2 })).toBeUndefined();
  expect(() => places.pageAt(4)).toThrow(RangeError);
});

test("the rows of a scope are counted by their datasets, each dataset once, and given by their places", () => {
  const places = createPagePlaces();
  const [one, two, three] = [newDatasetId(), newDatasetId(), newDatasetId()];
  const rows = [one, two, one, three, two, one];
  for (const [page, datasetId] of rows.entries()) places.push({ datasetId, page, generation: "" });
  const find = (datasetIds: readonly DatasetId[] | undefined, without?: readonly DatasetId[]): number[] => {
    const isMeant = datasetsWithin({ datasetIds, ...(without && { without }) }) ?? (() => true);
    const found = [...places.placesOf(isMeant)];
    expect(places.countOf(isMeant)).toBe(found.length);
    return found;
  };
  expect(datasetsWithin({ datasetIds: undefined })).toBeUndefined();
  expect([find(undefined), find([one]), find([two, three, two]), find([newDatasetId()]), find([])]).toEqual([
    [0, 1, 2, 3, 4, 5],
    [0, 2, 5],
    [1, 3, 4],
    [],
    [],
  ]);
  expect([find(undefined, [one]), find([one, two], [one]), find([one], [one])]).toEqual([[1, 3, 4], [1, 4], []]);
});
