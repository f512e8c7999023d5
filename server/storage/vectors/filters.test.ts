import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { documentId, pageId, parsePageId, rowIdIn } from "./filters.ts";

describe("ids of rows", () => {
  it("leave out the empty generation", () => {
    const datasetId = newDatasetId();
    expect(pageId({ datasetId, page: 7, generation: "" })).toBe(`${datasetId}/7`);
    expect(pageId({ datasetId, page: 7, generation: "a1" })).toBe(`${datasetId}/7@a1`);
  });

  it("are parsed to the keys they were made of, and differ for pages and documents", () => {
    const generations = fc.stringMatching(/^[0-9a-z]{0,32}$/);
    fc.assert(
      fc.property(fc.nat(), generations, (page, generation) => {
        const row = { datasetId: newDatasetId(), page, generation };
        expect(parsePageId(pageId(row))).toEqual(row);
        expect(parsePageId(documentId(row))).toEqual(row);
        expect(documentId(row)).not.toBe(pageId(row));
      }),
    );
    for (const text of ["", "x/1", `${newDatasetId()}/`, `${newDatasetId()}/x1`, `${newDatasetId()}/1@A`]) {
      expect(parsePageId(text)).toBeUndefined();
    }
  });

  it("are those of documents only in a space of documents", () => {
    const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
    const row = { datasetId: newDatasetId(), page: 1, generation: "g" };
    expect(rowIdIn(space)(row)).toBe(pageId(row));
    expect(rowIdIn({ ...space, unit: "document" })(row)).toBe(documentId(row));
    expect(rowIdIn({ kind: "dense", pack: "p@1", name: "text", dimensions: 8 })(row)).toBe(pageId(row));
  });
});
