import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { parseRowId, rowId } from "./filters.ts";

describe("rowId", () => {
  it("names rows of the empty generation as all rows were named before there were others", () => {
    const datasetId = newDatasetId();
    expect(rowId({ datasetId, page: 7, generation: "" })).toBe(`${datasetId}/7`);
    expect(rowId({ datasetId, page: 7, generation: "a1" })).toBe(`${datasetId}/7@a1`);
  });

  it("is read back as it was made", () => {
    const generations = fc.stringMatching(/^[0-9a-z]{0,32}$/);
    fc.assert(
      fc.property(fc.nat(), generations, (page, generation) => {
        const row = { datasetId: newDatasetId(), page, generation };
        expect(parseRowId(rowId(row))).toEqual(row);
      }),
    );
    for (const text of ["", "x/1", `${newDatasetId()}/`, `${newDatasetId()}/1@A`]) {
      expect(parseRowId(text)).toBeUndefined();
    }
  });
});
