import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId, type DatasetId } from "../../server/domain/ids.ts";
import type { DenseSpace } from "../../server/domain/ports/vectors.ts";
import { axis, dense, lexical, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";
import { readTerms } from "./testing/read-terms.ts";

/** The contract while others write, delete and maintain. */
export function vectorSharingContract(open: OpenVectorFixture): void {
  describe("beside others", () => {
    const db = useVectors(open);

    it("is told at once what another connection has written", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const other = await db.connect();
      const space = { ...dense, name: "both" };
      expect(await other.searchDense(space, axis(1), scope(workspaceId))).toEqual([]);
      await db.store.putDense(space, [{ workspaceId, datasetId, generation: "", page: 1, vectors: [axis(1)] }]);
      expect(pagesOf(await other.searchDense(space, axis(1), scope(workspaceId)))).toEqual([1]);
      await db.store.putDense(space, [{ workspaceId, datasetId, generation: "", page: 2, vectors: [axis(1, 0.1)] }]);
      expect(pagesOf(await other.searchDense(space, axis(1), scope(workspaceId)))).toEqual([1, 2]);
      await other.removeDataset(datasetId);
      expect(await db.store.searchDense(space, axis(1), scope(workspaceId))).toEqual([]);
    });

    it("does not look for newer rows within a question, and finds all in the next", async () => {
      const workspaceId = newWorkspaceId();
      const row = { workspaceId, datasetId: newDatasetId(), generation: "" };
      const other = await db.connect();
      const [space, words] = [
        { ...dense, name: "lately" },
        { ...lexical, name: "said lately" },
      ];
      const find = async (searches = other.searching()): Promise<readonly number[]> => {
        const found = await searches.searchDense(space, axis(1), scope(workspaceId));
        const byWords = await searches.searchLexical(words, "otter", scope(workspaceId));
        expect(pagesOf(byWords)).toEqual(pagesOf(found));
        const page = { ...row, page: 1 };
        expect((await readTerms(searches, words, { pages: [page], workspaceId })).size).toBe(Math.min(1, found.length));
        expect(await searches.scorePages(space, axis(1), [page], workspaceId)).toHaveLength(Math.min(1, found.length));
        return pagesOf(found);
      };
      const put = async (page: number): Promise<void> => {
        await db.store.putDense(space, [{ ...row, page, vectors: [axis(1, page / 10)] }]);
        await db.store.putLexical(words, [{ ...row, page, words: `otter ${"and others ".repeat(page)}` }]);
      };
      expect(await find()).toEqual([]);
      await put(1);
      const question = other.searching();
      expect(await find(question)).toEqual([1]);
      await put(2);
      expect(await find(question)).toEqual([1]);
      expect(await find()).toEqual([1, 2]);
      await db.store.maintain();
      await db.store.removeDataset(row.datasetId);
      await db.store.maintain();
      expect(await find()).toEqual([]);
    });

    it("goes on answering where maintenance has removed what it was asked about", async () => {
      const workspaceId = newWorkspaceId();
      const row = { workspaceId, datasetId: newDatasetId(), generation: "" };
      const other = await db.connect();
      const space = { ...dense, name: "moved" };
      const put = (page: number) => db.store.putDense(space, [{ ...row, page, vectors: [axis(1, page / 10)] }]);
      await put(1);
      const question = other.searching();
      expect(pagesOf(await question.searchDense(space, axis(1), scope(workspaceId)))).toEqual([1]);
      for (let round = 2; round < 8; round++) {
        await put(round);
        await db.store.maintain();
      }
      expect(pagesOf(await question.searchDense(space, axis(1), scope(workspaceId)))).toContain(1);
      expect(await other.searchDense(space, axis(1), scope(workspaceId))).toHaveLength(7);
    });

    it("makes a table once, however many connections begin with it at the same time", async () => {
      const writers = await Promise.all(Array.from({ length: 5 }, () => db.connect()));
      for (const name of ["race-a", "race-b", "race-c", "race-d"]) {
        const workspaceId = newWorkspaceId();
        const datasetId = newDatasetId();
        const space = { ...dense, name };
        await Promise.all(
          writers.map((writer, at) =>
            writer.putDense(space, [{ workspaceId, datasetId, generation: "", page: at + 1, vectors: [axis(at)] }]),
          ),
        );
        const found = await db.store.searchDense(space, axis(0), scope(workspaceId));
        expect(pagesOf(found).toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4, 5]);
        await db.store.removeDataset(datasetId);
      }
    });

    it("doubles no row when two connections write the same pages at the same time", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const space = { ...dense, name: "contested" };
      const pages = Array.from({ length: 20 }, (_, index) => index + 1);
      const rows = pages.map((page) => ({
        workspaceId,
        datasetId,
        generation: "",
        page,
        vectors: [axis(page), axis(page + 1)],
      }));
      const writers = [db.store, await db.connect()];
      await Promise.all(
        writers.map(async (writer) => {
          for (let round = 0; round < 4; round++) await writer.putDense(space, rows);
        }),
      );
      for (const page of pages) expect(await db.store.vectorsOf(space, datasetId, page, "")).toHaveLength(2);
    });

    it("forgets a dataset in every space and gives its disk back", async () => {
      const workspaceId = newWorkspaceId();
      const [gone, kept] = [newDatasetId(), newDatasetId()];
      const wide = { ...dense, name: "wide", dimensions: 512 };
      const pages = Array.from({ length: 500 }, (_, index) => index + 1);
      const vector = () => Float32Array.from({ length: 512 }, () => Math.random() - 0.5);
      await db.store.maintain();
      const before = await db.size();
      await db.store.putDense(
        wide,
        pages.map((page) => ({ workspaceId, datasetId: gone, generation: "", page, vectors: [vector(), vector()] })),
      );
      await db.store.putLexical(lexical, [
        { workspaceId, datasetId: gone, generation: "", page: 1, words: "ephemeral" },
      ]);
      await db.store.putDense(wide, [{ workspaceId, datasetId: kept, generation: "", page: 1, vectors: [vector()] }]);
      expect(await db.size()).toBeGreaterThan(before + 1_000_000);
      await db.store.removeDataset(gone);
      expect(pagesOf(await db.store.searchDense(wide, vector(), scope(workspaceId)))).toEqual([1]);
      expect(await db.store.searchLexical(lexical, "ephemeral", scope(workspaceId))).toEqual([]);
      // The first pass rewrites what is left, the second removes what that has replaced.
      await db.store.maintain();
      await db.store.maintain();
      expect(await db.size()).toBeLessThan(before + 500_000);
      expect(pagesOf(await db.store.searchDense(wide, vector(), scope(workspaceId)))).toEqual([1]);
    });

    it("keeps packs apart, forgets a dataset in one of them, and a pack as a whole", async () => {
      const workspaceId = newWorkspaceId();
      const [one, other] = [newDatasetId(), newDatasetId()];
      const next = { dense: { ...dense, pack: "next@2.0.0" }, lexical: { ...lexical, pack: "next@2.0.0" } };
      for (const datasetId of [one, other]) {
        for (const space of [dense, next.dense]) {
          await db.store.putDense(space, [{ workspaceId, datasetId, generation: "", page: 1, vectors: [axis(0)] }]);
        }
        await db.store.putLexical(next.lexical, [{ workspaceId, datasetId, generation: "", page: 1, words: "pack" }]);
      }
      const reader = await db.connect();
      const datasetsIn = async (space: DenseSpace, without: readonly DatasetId[] = []) => {
        const hits = await reader.searchDense(space, axis(0), { ...scope(workspaceId), without });
        return hits.map(({ datasetId }) => datasetId).toSorted();
      };
      expect(await datasetsIn(next.dense)).toEqual([one, other].toSorted());
      expect(await datasetsIn(next.dense, [one])).toEqual([other]);
      expect(
        await reader.searchLexical(next.lexical, "pack", { ...scope(workspaceId), without: [one, other] }),
      ).toEqual([]);
      await db.store.removeDataset(one, { pack: dense.pack });
      expect(await datasetsIn(dense)).toEqual([other]);
      expect(await datasetsIn(next.dense)).toEqual([one, other].toSorted());

      await db.store.removePack(next.dense.pack);
      expect(await datasetsIn(next.dense)).toEqual([]);
      expect(await datasetsIn(dense)).toEqual([other]);
      // A pack may come back, to those as well who knew its tables.
      await db.store.putDense(next.dense, [
        { workspaceId, datasetId: one, generation: "", page: 1, vectors: [axis(0)] },
      ]);
      expect(await datasetsIn(next.dense)).toEqual([one]);
    });

    it("serves reads and writes while it is maintained", async () => {
      const workspaceId = newWorkspaceId();
      const datasetId = newDatasetId();
      const reader = await db.connect();
      const writing = async () => {
        for (let page = 1; page <= 40; page++) {
          await db.store.putDense(dense, [{ workspaceId, datasetId, generation: "", page, vectors: [axis(page)] }]);
        }
      };
      const reading = async () => {
        for (let round = 0; round < 60; round++) await reader.searchDense(dense, axis(0), scope(workspaceId));
      };
      const maintaining = async () => {
        for (let round = 0; round < 5; round++) await db.store.maintain();
      };
      await Promise.all([writing(), reading(), maintaining()]);
      expect(await reader.searchDense(dense, axis(0), scope(workspaceId, undefined, 100))).toHaveLength(40);
    });

    it("answers many at once, also while it is maintained", async () => {
      const workspaceId = newWorkspaceId();
      const row = { workspaceId, datasetId: newDatasetId(), generation: "", page: 1 };
      await db.store.putDense(dense, [{ ...row, vectors: [axis(0)] }]);
      await db.store.putLexical(lexical, [{ ...row, words: "numerical integration of equations" }]);
      const ask = async (text: string) => {
        const [words, vectors] = await Promise.all([
          db.store.searchLexical(lexical, text, scope(workspaceId)),
          db.store.searchDense(dense, axis(0), scope(workspaceId)),
        ]);
        expect([pagesOf(words), pagesOf(vectors)]).toEqual([[1], [1]]);
      };
      const texts = ["integration of equations", "intergation", "numerical equatoins", "integration"];
      await Promise.all([
        ...Array.from({ length: 40 }, (_, at) => ask(texts[at % texts.length] ?? "")),
        db.store.maintain(),
      ]);
    });
  });
}
