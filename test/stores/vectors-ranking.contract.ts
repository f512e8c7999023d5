import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId, type DatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace } from "../../server/domain/ports/vectors.ts";
import { axis, dense, lexical, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";
import { createLibrary } from "./testing/library.ts";

/** How pages are ranked by their vectors. */
export function vectorRankingContract(open: OpenVectorFixture): void {
  describe("pages by vectors", () => {
    const db = useVectors(open);

    it("finds nothing in a space that has never been written to", async () => {
      const empty = { ...dense, name: "unknown" };
      const datasetId = newDatasetId();
      expect(await db.store.searchDense(empty, axis(0), scope(newWorkspaceId()))).toEqual([]);
      expect(await db.store.searchLexical({ ...lexical, name: "unknown" }, "x", scope(newWorkspaceId()))).toEqual([]);
      expect(await db.store.vectorsOf(empty, datasetId, 1, "")).toEqual([]);
      await db.store.removeDataset(datasetId);
      await db.store.maintain();
    });

    it("ranks pages by their best vector, one hit each, and cuts at the limit", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const row = (page: number, ...vectors: Float32Array[]) => ({
        workspaceId,
        datasetId,
        generation: "",
        page,
        vectors,
      });
      await db.store.putDense(dense, [
        row(1, axis(5), axis(6)),
        row(2, axis(9), axis(0, 0.1), axis(0, 0.2), axis(0, 0.3)),
        row(3, axis(0), axis(0)),
        row(4, axis(0, 0.5), axis(3)),
      ]);
      const hits = await db.store.searchDense(dense, axis(0), scope(workspaceId));
      expect(pagesOf(hits).slice(0, 3)).toEqual([3, 2, 4]);
      expect(new Set(pagesOf(hits)).size).toBe(4);
      expect(hits[0]?.score).toBeCloseTo(1, 5);
      expect(hits[1]?.score).toBeCloseTo(1 / Math.hypot(1, 0.1), 5);
      expect(hits[3]?.score).toBeCloseTo(0, 5);
      expect(pagesOf(await db.store.searchDense(dense, axis(0), scope(workspaceId, undefined, 2)))).toEqual([3, 2]);
      expect(await db.store.searchDense(dense, axis(0), scope(workspaceId, []))).toEqual([]);
      const opposite = axis(0).map((value) => -value);
      expect((await db.store.searchDense(dense, opposite, scope(workspaceId))).at(-1)?.score).toBeCloseTo(-1, 5);
    });

    it("fills the limit although one page has most of the nearest vectors", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const crowd = Array.from({ length: 60 }, (_, index) => axis(0, index / 1000));
      await db.store.putDense(dense, [
        { workspaceId, datasetId, generation: "", page: 1, vectors: crowd },
        ...[2, 3, 4].map((page) => ({ workspaceId, datasetId, generation: "", page, vectors: [axis(0, page)] })),
      ]);
      expect(pagesOf(await db.store.searchDense(dense, axis(0), scope(workspaceId, undefined, 3)))).toEqual([1, 2, 3]);
    });

    it("shows nothing of another workspace, even for its dataset's id", async () => {
      const [mine, theirs] = [newWorkspaceId(), newWorkspaceId()];
      const [myDataset, theirDataset] = [newDatasetId(), newDatasetId()];
      const put = async (workspaceId: WorkspaceId, datasetId: DatasetId) => {
        await db.store.putDense(dense, [{ workspaceId, datasetId, generation: "", page: 1, vectors: [axis(2)] }]);
        await db.store.putLexical(lexical, [
          { workspaceId, datasetId, generation: "", page: 1, words: "shared walrus" },
        ]);
      };
      await put(mine, myDataset);
      await put(theirs, theirDataset);
      const own = [{ datasetId: myDataset, generation: "", page: 1 }];
      const both = [myDataset, theirDataset];
      expect(await db.store.searchDense(dense, axis(2), scope(mine))).toMatchObject(own);
      expect(await db.store.searchDense(dense, axis(2), scope(mine, both))).toMatchObject(own);
      expect(await db.store.searchDense(dense, axis(2), scope(mine, [theirDataset]))).toEqual([]);
      expect(await db.store.searchLexical(lexical, "walrus", scope(mine))).toMatchObject(own);
      expect(await db.store.searchLexical(lexical, "walrus", scope(mine, both))).toMatchObject(own);
      expect(await db.store.searchLexical(lexical, "walrus", scope(mine, [theirDataset]))).toEqual([]);
    });

    it("gives a page's vectors back in their order, bit by bit", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const vectors = Array.from({ length: 12 }, (_, index) => axis(index, index / 8));
      await db.store.putDense(dense, [{ workspaceId, datasetId, generation: "", page: 3, vectors }]);
      expect(await db.store.vectorsOf(dense, datasetId, 3, "")).toEqual(vectors);
      expect(await db.store.vectorsOf(dense, datasetId, 4, "")).toEqual([]);
    });

    it("scores the pages it is given, exactly, and only those of the workspace", async () => {
      const [workspaceId, elsewhere] = [newWorkspaceId(), newWorkspaceId()];
      const [datasetId, foreign] = [newDatasetId(), newDatasetId()];
      const row = (page: number, ...vectors: Float32Array[]) => ({
        workspaceId,
        datasetId,
        generation: "",
        page,
        vectors,
      });
      await db.store.putDense(dense, [row(1, axis(5), axis(0, 0.5)), row(2, axis(0)), row(3, axis(7))]);
      await db.store.putDense(dense, [
        { workspaceId: elsewhere, datasetId: foreign, generation: "", page: 1, vectors: [axis(0)] },
      ]);
      const asked = [1, 3, 3, 4].map((page) => ({ datasetId, generation: "", page }));
      const hits = await db.store.scorePages(
        dense,
        axis(0),
        [...asked, { datasetId: foreign, generation: "", page: 1 }],
        workspaceId,
      );
      const scores = new Map(hits.map(({ page, score }) => [page, score]));
      expect(new Set(scores.keys())).toEqual(new Set([1, 3]));
      expect(hits).toHaveLength(2);
      expect(scores.get(1)).toBeCloseTo(1 / Math.hypot(1, 0.5), 3);
      expect(scores.get(3)).toBeCloseTo(0, 3);
      expect(await db.store.scorePages(dense, axis(0), [], workspaceId)).toEqual([]);
      expect(await db.store.scorePages({ ...dense, name: "unknown" }, axis(0), asked, workspaceId)).toEqual([]);
    });

    it("gives the exact scores of pages that others have found beside the best", async () => {
      const [workspaceId, elsewhere] = [newWorkspaceId(), newWorkspaceId()];
      const [datasetId, foreign] = [newDatasetId(), newDatasetId()];
      const space = { ...dense, name: "beside" };
      const row = (page: number) => ({ workspaceId, datasetId, generation: "", page, vectors: [axis(0, page / 10)] });
      const score = (page: number): number => 1 / Math.hypot(1, page / 10);
      await db.store.putDense(space, [
        { workspaceId: elsewhere, datasetId: foreign, generation: "", page: 1, vectors: [axis(0)] },
      ]);
      const pages = Array.from({ length: 600 }, (_, at) => at + 1);
      // One pass over all pages, all scores given out; two passes; one pass, the best given out.
      const cases = [
        { upTo: 100, datasetIds: undefined },
        { upTo: 600, datasetIds: undefined },
        { upTo: 600, datasetIds: [datasetId] },
      ];
      for (const { upTo, datasetIds } of cases) {
        await db.store.putDense(space, pages.slice(0, upTo).map(row));
        const last = upTo - 1;
        const others = [2, last, 999].map((page) => ({ datasetId, generation: "", page }));
        const also = Promise.resolve([...others, { datasetId: foreign, generation: "", page: 1 }]);
        const hits = await db.store.searchDense(space, axis(0), scope(workspaceId, datasetIds, 3), also);
        expect(pagesOf(hits)).toEqual([1, 2, 3, last]);
        for (const hit of hits) expect(hit.score).toBeCloseTo(score(hit.page), 3);
      }
      const failing = Promise.reject(new Error("no words"));
      const asked = db.store.searchDense(space, axis(0), scope(workspaceId), failing);
      await expect(asked).rejects.toThrow("no words");
      expect(await db.store.searchDense(space, axis(0), scope(newWorkspaceId()), Promise.resolve([]))).toEqual([]);
    });

    it("gives the first vector of a page with its hit where the space does", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const space = { ...dense, name: "giving", givesVectors: true, firstPass: "pooled" as const };
      const vectors = [1, 2, 3].map((page) => [axis(page), axis(0, page / 10)]);
      const rows = vectors.map((ofPage, at) => ({
        workspaceId,
        datasetId,
        generation: "",
        page: at + 1,
        vectors: ofPage,
      }));
      const others = Array.from({ length: 300 }, (_, at) => ({
        workspaceId,
        datasetId,
        generation: "",
        page: at + 4,
        vectors: [axis(at + 4)],
      }));
      for (const more of [[], others]) {
        await db.store.putDense(space, [...rows, ...more]);
        const hits = await db.store.searchDense(space, axis(0), scope(workspaceId, undefined, 3));
        for (const { page, vector } of hits.slice(0, 3)) expect(vector).toEqual(vectors[page - 1]?.[0] ?? axis(page));
        const [scored] = await db.store.scorePages(
          space,
          axis(0),
          [{ datasetId, generation: "", page: 2 }],
          workspaceId,
        );
        expect(scored?.vector).toEqual(axis(2));
      }
      const [plain] = await db.store.searchDense({ ...space, givesVectors: false }, axis(0), scope(workspaceId));
      expect(plain?.vector).toBeUndefined();
    });

    it("finds what comparing every page with every vector finds, by the best vector and by all of them", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const library = createLibrary({ dimensions: 64, pages: 600, vectorsPerPage: 6 });
      const spaces: DenseSpace[] = [
        { ...dense, name: "best", dimensions: 64 },
        { ...dense, name: "best-pooled", dimensions: 64, firstPass: "pooled" },
        { ...dense, name: "max-sim", dimensions: 64, scoring: "max-sim", firstPass: "pooled" },
      ];
      const rows = library.pages.map(({ vectors, pooled }, at) => ({
        workspaceId,
        datasetId,
        generation: "",
        page: at + 1,
        vectors,
        pooled,
      }));
      for (const space of spaces) {
        await db.store.putDense(space, rows);
        const count = space.scoring === "max-sim" ? 6 : 1;
        const recalls = Array.from({ length: 8 }, async () => {
          const query = library.query(count);
          const exact = library.nearest(query, 10);
          const hits = await db.store.searchDense(space, query, scope(workspaceId));
          expect(hits).toHaveLength(10);
          for (const { page, score } of hits) expect(score).toBeCloseTo(library.score(query, page), 2);
          return exact.filter((page) => pagesOf(hits).includes(page)).length / 10;
        });
        const recall = (await Promise.all(recalls)).reduce((sum, one) => sum + one, 0) / recalls.length;
        expect({ space: space.name, enough: recall >= 0.97 }).toEqual({ space: space.name, enough: true });
      }
    });

    it("refuses several vectors where a page counts by the best of its own", async () => {
      const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "", page: 1 };
      await db.store.putDense(dense, [{ ...row, vectors: [axis(0)] }]);
      const asked = db.store.searchDense(dense, [axis(0), axis(1)], scope(row.workspaceId));
      await expect(asked).rejects.toThrow(/asked with one/);
    });

    it("replaces a page that is written again, with more parts, with fewer, with none", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const put = (...vectors: Float32Array[]) =>
        db.store.putDense(dense, [
          { workspaceId, datasetId, generation: "", page: 1, vectors },
          { workspaceId, datasetId, generation: "", page: 2, vectors: [axis(8)] },
        ]);
      const first = async (vector: Float32Array) => (await db.store.searchDense(dense, vector, scope(workspaceId)))[0];
      await put(axis(0), axis(1));
      await put(axis(2), axis(3), axis(4), axis(5));
      expect(await db.store.vectorsOf(dense, datasetId, 1, "")).toEqual([axis(2), axis(3), axis(4), axis(5)]);
      await db.store.maintain();
      await put(axis(6));
      expect(await db.store.vectorsOf(dense, datasetId, 1, "")).toEqual([axis(6)]);
      expect((await first(axis(3)))?.score).toBeLessThan(0.5);
      expect((await first(axis(6)))?.page).toBe(1);
      await put();
      expect(await db.store.vectorsOf(dense, datasetId, 1, "")).toEqual([]);
      expect(pagesOf(await db.store.searchDense(dense, axis(6), scope(workspaceId)))).toEqual([2]);
    });

    it("refuses vectors of another length and ids that are none", async () => {
      const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "", page: 1 };
      await expect(db.store.putDense(dense, [{ ...row, vectors: [new Float32Array(3)] }])).rejects.toThrow(
        /dimensions/,
      );
      await db.store.putDense(dense, [{ ...row, vectors: [axis(0)] }]);
      const forged: string = `${row.datasetId}' OR '1'='1`;
      const asId = (text: string): text is DatasetId => text === forged;
      if (!asId(forged)) throw new Error("unreachable");
      const asked = scope(row.workspaceId, [forged]);
      await expect(db.store.searchDense(dense, axis(0), asked)).rejects.toThrow(TypeError);
    });

    it("answers a ping", async () => {
      await expect(db.store.ping()).resolves.toBeUndefined();
    });
  });
}
