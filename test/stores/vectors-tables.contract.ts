import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import type { PageHit, PageKey, SpaceRef } from "../../server/domain/ports/vectors.ts";
import { axis, pagesOf, scope, type OpenVectorFixture, useTables } from "./testing/vectors.ts";
import {
  coded,
  type Content,
  denseSpaces,
  documents,
  type Index,
  keyOf,
  late,
  newIndex,
  putDocument,
  putPages,
  text,
  whole,
  words,
} from "./testing/whole-pack.ts";

const ascending = (pages: readonly number[]): number[] => pages.toSorted((one, other) => one - other);

/** Tables of a workspace and a pack, with all that pages and documents are in the pack's spaces. */
export function vectorTablesContract(open: OpenVectorFixture): void {
  describe("tables", () => {
    const db = useTables(open);

    const rows = async (space: SpaceRef, { workspaceId, datasetId }: Index): Promise<number[]> =>
      ascending((await Array.fromAsync(db.store.rowsOf(space, workspaceId, datasetId))).map(({ page }) => page));
    const byWords = async (asked: string, { workspaceId }: Pick<Index, "workspaceId">): Promise<number[]> =>
      ascending(pagesOf(await db.store.searchLexical(words, asked, scope(workspaceId, undefined, 100))));
    const byVectors = async (at: number, { workspaceId }: Pick<Index, "workspaceId">): Promise<number[][]> =>
      Promise.all(
        denseSpaces.map(async (space) => {
          const hits = await db.store.searchDense(space, axis(at), scope(workspaceId, undefined, 100));
          return ascending(pagesOf(hits.filter(({ score }) => score > 0.6)));
        }),
      );

    it("have what pages are in every space, and documents", async () => {
      const index = newIndex();
      const pages = { 1: { words: "otter", at: 0 }, 2: { words: "otter" }, 3: { at: 0 }, 4: {} };
      const table = await putPages(db.store, index, pages);
      await putDocument(db.store, index, { 0: "otter", 1: "otter lynx" });
      expect(await putPages(db.store, index, { 5: { words: "lynx", at: 8 } })).toBe(table);
      for (let round = 0; round < 2; round++) {
        expect(await byWords("otter", index)).toEqual([1, 2]);
        expect(await byVectors(0, index)).toEqual(denseSpaces.map(() => [1, 3]));
        for (const space of denseSpaces) {
          expect(await rows(space, index)).toEqual([1, 3, 5]);
          // Those that have nothing in the space are no hits.
          const hits = await db.store.searchDense(space, axis(0), scope(index.workspaceId));
          expect(ascending(pagesOf(hits))).toEqual([1, 3, 5]);
          const scored = await db.store.scorePages(space, axis(0), keys(index, [1, 2, 3, 4, 9]), index.workspaceId);
          expect(ascending(pagesOf(scored))).toEqual([1, 3]);
          const also = Promise.resolve(keys(index, [2, 4, 5]));
          const best = await db.store.searchDense(space, axis(0), scope(index.workspaceId, undefined, 1), also);
          expect(ascending(pagesOf(best))).toEqual([1, 5]);
        }
        expect(await rows(words, index)).toEqual([1, 2, 5]);
        expect(await rows(documents, index)).toEqual([0, 1]);
        const found = await db.store.searchLexical(documents, "lynx", scope(index.workspaceId));
        expect(found).toMatchObject([{ datasetId: index.datasetId, generation: "g1", page: 1 }]);
        const given = await db.store.vectorsOf(text, keyOf(index, 3), index.workspaceId);
        expect(given).toEqual([axis(0, 3 / 1_000), axis(1)].map(rounded));
        expect(await db.store.vectorsOf(coded, keyOf(index, 2), index.workspaceId)).toEqual([]);
        expect(await db.store.vectorsOf(late, keyOf(index, 1), newWorkspaceId())).toEqual([]);
        await db.store.maintain();
      }
    });

    it("find the pages that have something in a space among many that have nothing in it", async () => {
      const index = newIndex();
      const many = new Map<number, Content>(Array.from({ length: 700 }, (_, at) => [at + 1, { words: "walrus" }]));
      await putPages(db.store, index, many.set(300, { at: 3 }).set(600, { at: 3, words: "seal" }));
      await putDocument(db.store, index, Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at, "walrus"])));
      for (let round = 0; round < 2; round++) {
        for (const space of denseSpaces) {
          for (const datasetIds of [undefined, [index.datasetId]]) {
            const asked = scope(index.workspaceId, datasetIds, 2);
            expect(ascending(pagesOf(await db.store.searchDense(space, axis(3), asked)))).toEqual([300, 600]);
          }
        }
        expect(await byWords("seal", index)).toEqual([600]);
        await db.store.maintain();
      }
    });

    it("have all of a page anew when it is put again", async () => {
      const index = newIndex();
      await putPages(db.store, index, { 1: { words: "otter", at: 0 }, 2: { words: "otter", at: 0 } });
      await putPages(db.store, index, { 1: { words: "lynx" } });
      expect(await byWords("otter", index)).toEqual([2]);
      expect(await byWords("lynx", index)).toEqual([1]);
      expect(await byVectors(0, index)).toEqual(denseSpaces.map(() => [2]));
      await db.store.maintain();
      await putPages(db.store, index, { 1: { at: 5 }, 2: {} });
      expect(await byWords("otter lynx", index)).toEqual([]);
      expect(await byVectors(0, index)).toEqual(denseSpaces.map(() => []));
      expect(await byVectors(5, index)).toEqual(denseSpaces.map(() => [1]));
      await putDocument(db.store, index, { 1: "otter" });
      await putDocument(db.store, index, { 1: "lynx" });
      expect(await db.store.searchLexical(documents, "otter", scope(index.workspaceId))).toEqual([]);
      expect(await byVectors(5, index)).toEqual(denseSpaces.map(() => [1]));
    });

    it("lose rows by generation, by dataset and by pack, with those of documents", async () => {
      const index = newIndex();
      const [later, other] = [
        { ...index, generation: "g2" },
        { ...index, datasetId: newDatasetId() },
      ];
      for (const each of [index, later, other]) {
        await putPages(db.store, each, { 1: { words: "otter", at: 0 } });
        await putDocument(db.store, each, { 0: "otter" });
      }
      const { workspaceId, datasetId } = index;
      const found = async (): Promise<string[][]> => {
        const asked = scope(workspaceId);
        const all = await Promise.all([
          db.store.searchLexical(words, "otter", asked),
          db.store.searchLexical(documents, "otter", asked),
          ...denseSpaces.map((space) => db.store.searchDense(space, axis(0), asked)),
        ]);
        const nameOf = (hit: PageHit): string => `${hit.datasetId === datasetId ? "one" : "other"} ${hit.generation}`;
        return all.map((hits) => hits.map(nameOf).toSorted());
      };
      const everywhere = (names: readonly string[]) => Array.from({ length: 5 }, () => names);
      expect(await found()).toEqual(everywhere(["one g1", "one g2", "other g1"]));
      await db.store.remove({ workspaceId, pack: whole.id, datasetId, generation: "g1" });
      expect(await found()).toEqual(everywhere(["one g2", "other g1"]));
      await db.store.remove({ workspaceId, pack: "another@1", datasetId });
      await db.store.remove({ workspaceId: newWorkspaceId(), pack: whole.id, datasetId });
      expect(await found()).toEqual(everywhere(["one g2", "other g1"]));
      await db.store.remove({ workspaceId, pack: whole.id, datasetId });
      expect(await found()).toEqual(everywhere(["other g1"]));
      await db.store.removePack("another@1");
      expect(await found()).toEqual(everywhere(["other g1"]));
      await db.store.removePack(whole.id);
      expect(await found()).toEqual(everywhere([]));
      await db.store.maintain();
      await putPages(db.store, index, { 1: { words: "otter", at: 0 } });
      expect(await byWords("otter", index)).toEqual([1]);
    });

    it("are one for all that begin with it at the same time, and are made again by those that had a removed one open", async () => {
      const index = newIndex();
      const writers: VectorStore[] = [db.store, await db.connect(), await db.connect()];
      const put = (writer: VectorStore, page: number) => putPages(writer, index, { [page]: { words: "otter", at: 0 } });
      const names = await Promise.all(writers.map((writer, at) => put(writer, at + 1)));
      expect(new Set(names).size).toBe(1);
      expect(await byWords("otter", index)).toEqual([1, 2, 3]);
      await writers[1]?.removePack(whole.id);
      await db.store.maintain();
      expect(await byWords("otter", index)).toEqual([]);
      const again = await Promise.all(writers.slice(1).map((writer, at) => put(writer, at + 4)));
      expect(new Set(again).size).toBe(1);
      expect(names).not.toContain(again[0]);
      expect(await byWords("otter", index)).toEqual([4, 5]);
    });
  });
}

const keys = (index: Index, pages: readonly number[]): PageKey[] => pages.map((page) => keyOf(index, page));

/** As a store with 16-bit floats gives it back. */
const rounded = (vector: Float32Array): Float32Array => new Float32Array(new Float16Array(vector));
