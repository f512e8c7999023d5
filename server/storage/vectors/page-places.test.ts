import { expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
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
