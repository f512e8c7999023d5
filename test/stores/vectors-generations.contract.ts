import { describe, expect, it } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { PageHit } from "../../server/domain/ports/vectors.ts";
import { axis, dense, lexical, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

/** How rows of several generations of a dataset's index stand beside each other. */
export function vectorGenerationsContract(open: OpenVectorFixture): void {
  describe("generations", () => {
    const db = useVectors(open);
    const library = () => {
      const ids = { workspaceId: newWorkspaceId(), datasetId: newDatasetId() };
      const put = async (generation: string, pages: readonly number[], at = 0): Promise<void> => {
        const row = (page: number) => ({ ...ids, page, generation });
        await db.store.putDense(
          dense,
          pages.map((page) => ({ ...row(page), vectors: [axis(at, page / 10)] })),
        );
        await db.store.putLexical(
          lexical,
          pages.map((page) => ({ ...row(page), words: `walrus ${at === 0 ? "" : "seal"}` })),
        );
      };
      const namesOf = (hits: readonly PageHit[]): string[] =>
        hits.map(({ page, generation }) => `${page}@${generation}`).toSorted();
      const found = async () => {
        const byVectors = await db.store.searchDense(dense, axis(0), scope(ids.workspaceId));
        const byWords = await db.store.searchLexical(lexical, "walrus", scope(ids.workspaceId));
        expect(namesOf(byWords)).toEqual(namesOf(byVectors));
        return namesOf(byVectors);
      };
      return { ...ids, put, found };
    };

    it("stand beside each other: a hit for each row, which says whose it is", async () => {
      const { workspaceId, datasetId, put, found } = library();
      await put("", [1, 2]);
      await put("a1", [1], 3);
      await put("0".repeat(32), [2]);
      expect(await found()).toEqual([`1@`, "1@a1", `2@`, `2@${"0".repeat(32)}`].toSorted());
      expect(await db.store.vectorsOf(dense, datasetId, 1, "")).toEqual([axis(0, 0.1)].map(rounded));
      expect(await db.store.vectorsOf(dense, datasetId, 1, "a1")).toEqual([axis(3, 0.1)].map(rounded));
      expect(await db.store.vectorsOf(dense, datasetId, 2, "a1")).toEqual([]);
      const [hit] = await db.store.searchLexical(lexical, "seal", scope(workspaceId));
      expect(hit).toMatchObject({ datasetId, page: 1, generation: "a1" });
    });

    it("are scored row by row", async () => {
      const { workspaceId, datasetId, put } = library();
      await put("a1", [1], 0);
      await put("b2", [1], 5);
      const row = (generation: string) => ({ datasetId, page: 1, generation });
      const scores = await db.store.scorePages(dense, axis(0), [row("b2"), row("a1"), row("")], workspaceId);
      expect(new Map(scores.map(({ generation, score }) => [generation, Math.round(score)]))).toEqual(
        new Map([
          ["a1", 1],
          ["b2", 0],
        ]),
      );
      const also = Promise.resolve([row("b2")]);
      const beside = await db.store.searchDense(dense, axis(0), scope(workspaceId, undefined, 1), also);
      expect(beside.map(({ generation }) => generation)).toEqual(["a1", "b2"]);
    });

    it("are replaced one by one when a page is written again, also with nothing", async () => {
      const { workspaceId, datasetId, put } = library();
      for (const generation of ["", "a1", "b2"]) await put(generation, [1, 2]);
      const row = { workspaceId, datasetId, page: 1 };
      await db.store.putDense(dense, [{ ...row, generation: "a1", vectors: [axis(7)] }]);
      await db.store.putDense(dense, [{ ...row, generation: "", vectors: [] }]);
      await db.store.putLexical(lexical, [{ ...row, generation: "b2", words: "" }]);
      expect(await db.store.vectorsOf(dense, datasetId, 1, "a1")).toEqual([axis(7)]);
      expect(await db.store.vectorsOf(dense, datasetId, 1, "")).toEqual([]);
      expect(await db.store.vectorsOf(dense, datasetId, 1, "b2")).toHaveLength(1);
      const byWords = await db.store.searchLexical(lexical, "walrus", scope(workspaceId));
      expect(byWords.map(({ page, generation }) => `${page}@${generation}`).toSorted()).toEqual(
        ["1@", "1@a1", "2@", "2@a1", "2@b2"].toSorted(),
      );
    });

    it("are removed one by one, the empty one as well, or all of them", async () => {
      const { workspaceId, datasetId, put, found } = library();
      const other = newDatasetId();
      await db.store.putDense(dense, [
        { workspaceId, datasetId: other, page: 9, generation: "a1", vectors: [axis(9)] },
      ]);
      await db.store.putLexical(lexical, [
        { workspaceId, datasetId: other, page: 9, generation: "a1", words: "walrus" },
      ]);
      for (const generation of ["", "a1", "1", "ba1"]) await put(generation, [1, 2]);
      await db.store.removeDataset(datasetId, { generation: "a1" });
      expect(await found()).toEqual(["1@", "1@1", "1@ba1", "2@", "2@1", "2@ba1", "9@a1"]);
      await db.store.removeDataset(datasetId, { generation: "" });
      expect(await found()).toEqual(["1@1", "1@ba1", "2@1", "2@ba1", "9@a1"]);
      await db.store.removeDataset(datasetId, { pack: "another@1", generation: "1" });
      expect(await found()).toContain("1@1");
      await db.store.removeDataset(datasetId, { pack: dense.pack, generation: "1" });
      expect(await found()).toEqual(["1@ba1", "2@ba1", "9@a1"]);
      // A late writer of a generation that is gone brings its own rows back, and touches no other's.
      await put("a1", [1], 6);
      expect(await found()).toEqual(["1@a1", "1@ba1", "2@ba1", "9@a1"]);
      expect(await db.store.vectorsOf(dense, datasetId, 1, "ba1")).toEqual([axis(0, 0.1)].map(rounded));
      await db.store.maintain();
      await db.store.removeDataset(datasetId, { generation: "a1" });
      expect(await found()).toEqual(["1@ba1", "2@ba1", "9@a1"]);
      await db.store.removeDataset(datasetId);
      expect(await found()).toEqual(["9@a1"]);
    });

    it("are named by a token of lower-case letters and digits, and by nothing else", async () => {
      const { workspaceId, datasetId, put } = library();
      await put("a1", [1]);
      for (const generation of ["A", "a b", "a'", "%", "_", "a@b", "0".repeat(33)]) {
        const row = { workspaceId, datasetId, page: 1, generation, vectors: [axis(0)] };
        await expect(db.store.putDense(dense, [row])).rejects.toThrow(TypeError);
        await expect(db.store.vectorsOf(dense, datasetId, 1, generation)).rejects.toThrow(TypeError);
        await expect(db.store.removeDataset(datasetId, { generation })).rejects.toThrow(TypeError);
      }
    });
  });
}

/** As a store with 16-bit floats gives it back. */
const rounded = (vector: Float32Array): Float32Array => new Float32Array(new Float16Array(vector));
