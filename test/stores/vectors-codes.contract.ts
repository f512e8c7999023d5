import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace } from "../../server/domain/ports/vectors.ts";
import { createLibrary } from "./testing/library.ts";
import { axis, dense, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

const coded: DenseSpace = { ...dense, name: "coded", firstPass: "first", givesVectors: true };

/** Spaces whose pages have one vector that stands for them, and codes of the others. */
export function vectorCodesContract(open: OpenVectorFixture): void {
  describe("pages by codes of their vectors", () => {
    const db = useVectors(open);

    const row = (page: number, ...vectors: Float32Array[]) => ({ page, vectors, generation: "" });

    it("ranks pages by their best vector, gives their first, and scores those that others have found", async () => {
      const page = { workspaceId: newWorkspaceId(), datasetId: newDatasetId() };
      const others = Array.from({ length: 700 }, (_, at) => row(at + 4, axis(4 + (at % 8))));
      const rows = [row(1, axis(5), axis(0, 0.5)), row(2, axis(0)), row(3, axis(1, 2), axis(3))];
      // All are compared; two passes.
      for (const more of [[], others]) {
        await db.store.putDense(
          coded,
          [...rows, ...more].map((each) => ({ ...page, ...each })),
        );
        const also = Promise.resolve([3, 999].map((number) => ({ ...page, page: number, generation: "" })));
        const hits = await db.store.searchDense(coded, axis(0), scope(page.workspaceId, undefined, 2), also);
        expect(pagesOf(hits)).toEqual([2, 1, 3]);
        expect(hits.map(({ score }) => score)).toEqual([1, 1 / Math.hypot(1, 0.5), 0].map((score) => near(score)));
        expect([...(hits[0]?.vector ?? [])]).toEqual([...axis(0)].map((value) => near(value)));
        const scored = await db.store.scorePages(coded, axis(0), await also, page.workspaceId);
        expect(scored).toMatchObject([{ page: 3, score: near(0) }]);
        expect(await db.store.scorePages(coded, axis(0), await also, newWorkspaceId())).toEqual([]);
      }
      expect(await db.store.searchDense(coded, axis(0), scope(newWorkspaceId()))).toEqual([]);
    });

    it("finds what comparing every page with every vector finds", async () => {
      const page = { workspaceId: newWorkspaceId(), datasetId: newDatasetId() };
      const space = { ...coded, name: "many", dimensions: 256 };
      const library = createLibrary({ dimensions: 256, pages: 600, vectorsPerPage: 6 });
      await db.store.putDense(
        space,
        library.pages.map(({ vectors }, at) => ({ ...page, ...row(at + 1, ...vectors) })),
      );
      let found = 0;
      for (let question = 0; question < 8; question++) {
        const query = library.query(1);
        const hits = await db.store.searchDense(space, query, scope(page.workspaceId));
        for (const hit of hits) expect(hit.score).toBeCloseTo(library.score(query, hit.page), 1);
        found += library.nearest(query, 10).filter((nearest) => pagesOf(hits).includes(nearest)).length;
      }
      expect(found).toBeGreaterThanOrEqual(76);
    });

    it("knows at once what another connection has replaced, moved and removed", async () => {
      const page = { workspaceId: newWorkspaceId(), datasetId: newDatasetId() };
      const space = { ...coded, name: "shared" };
      const other = await db.connect();
      const best = async () =>
        (await other.searchDense(space, axis(0), scope(page.workspaceId, [page.datasetId], 1))).map((hit) => [
          hit.page,
          Math.round(hit.score * 10) / 10,
        ]);
      await db.store.putDense(space, [
        { ...page, ...row(1, axis(0)) },
        { ...page, ...row(2, axis(0, 1)) },
      ]);
      expect(await best()).toEqual([[1, 1]]);
      await db.store.putDense(space, [{ ...page, ...row(1, axis(3)) }]);
      expect(await best()).toEqual([[2, 0.7]]);
      await db.store.maintain();
      expect(await best()).toEqual([[2, 0.7]]);
      await db.store.putDense(space, [{ ...page, ...row(2) }]);
      expect(await best()).toEqual([[1, 0]]);
      await db.store.removeDataset(page.datasetId);
      expect(await best()).toEqual([]);
    });

    it("gives back the first vector bit by bit and the directions of the others", async () => {
      const page = { workspaceId: newWorkspaceId(), datasetId: newDatasetId() };
      const space = { ...coded, name: "given" };
      await db.store.putDense(space, [{ ...page, ...row(1, axis(0, 0.25), axis(2), axis(0, -1)) }]);
      const [first, ...parts] = await db.store.vectorsOf(space, page.datasetId, 1, "");
      expect(first).toEqual(axis(0, 0.25));
      expect(
        parts.map(([one = 0, two = 0, three = 0]) => [one, two, three].map((value) => Math.round(value) + 0)),
      ).toEqual([
        [0, 0, 1],
        [1, -1, 0],
      ]);
      expect(await db.store.vectorsOf(space, page.datasetId, 2, "")).toEqual([]);
    });

    it("refuses vectors that the space cannot have", async () => {
      const page = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), page: 1, generation: "" };
      const refused = [
        { ...page, vectors: [new Float32Array(3)] },
        { ...page, vectors: [axis(0), new Float32Array(3)] },
        { ...page, vectors: [axis(0), new Float32Array(16).fill(Number.NaN)] },
      ];
      for (const each of refused) await expect(db.store.putDense(coded, [each])).rejects.toThrow(TypeError);
    });
  });
}

/** A number within what codes lose of a vector of sixteen dimensions. */
const near = (value: number): { asymmetricMatch(actual: unknown): boolean } => expect.closeTo(value, 1);
