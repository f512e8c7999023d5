import { describe, expect, it } from "vitest";
import { type DatasetId, newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { DenseSpace, SpaceRef, StoredRow, VectorStore } from "../../server/domain/ports/vectors.ts";
import { axis, dense, lexical, pagesOf, scope, type OpenVectorFixture, useVectors } from "./testing/vectors.ts";

const pooled: DenseSpace = { ...dense, name: "pooled", scoring: "max-sim", firstPass: "pooled" };
const coded: DenseSpace = { ...dense, name: "coded", firstPass: "first" };
const spaces: readonly SpaceRef[] = [dense, lexical, pooled, coded];

/** Rows of one store that are put into another as they are. */
export function vectorTransferContract(open: OpenVectorFixture): void {
  describe("transfer", () => {
    const from = useVectors(open);
    const to = useVectors(open);

    it("carries rows of every kind to another store, which then finds the same", async () => {
      const [workspaceId, datasetId, other] = [newWorkspaceId(), newDatasetId(), newDatasetId()];
      for (const id of [datasetId, other]) {
        const rows = Array.from({ length: 250 }, (_, at) => ({
          workspaceId,
          datasetId: id,
          page: at + 1,
          generation: at % 2 === 0 ? "" : "g1",
          vectors: [axis(at, 0.3), axis(at + 2)],
          pooled: [axis(at + 1)],
          words: `walrus Hafenrundfahrt 1,234.50 page${at} 日本語`,
        }));
        await from.store.putDense(dense, rows);
        await from.store.putDense(pooled, rows);
        await from.store.putDense(coded, rows);
        await from.store.putLexical(lexical, rows);
      }
      for (const space of spaces) {
        for await (const rows of from.store.readRows(space, [datasetId])) await to.store.putRows(space, rows);
        expect(await rowsOf(to.store, space, [datasetId])).toEqual(await rowsOf(from.store, space, [datasetId]));
        expect(await rowsOf(to.store, space, [other])).toEqual([]);
      }
      const asked = scope(workspaceId, [datasetId], 5);
      for (const space of [dense, coded]) {
        expect(await to.store.searchDense(space, axis(7, 0.2), asked)).toEqual(
          await from.store.searchDense(space, axis(7, 0.2), asked),
        );
      }
      const found = await to.store.searchLexical(lexical, "Hafen page41", asked);
      expect(pagesOf(found)).toEqual(pagesOf(await from.store.searchLexical(lexical, "Hafen page41", asked)));
      expect(found[0]?.page).toBe(42);
    });

    it("replaces what is there, and refuses rows of another kind", async () => {
      const row = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), page: 1, generation: "g" };
      await to.store.putRows(dense, [{ ...row, vectors: [axis(1)] }]);
      await to.store.putRows(dense, [{ ...row, vectors: [axis(2)] }]);
      expect(await to.store.vectorsOf(dense, row.datasetId, 1, "g")).toEqual([axis(2)]);
      await expect(to.store.putRows(lexical, [{ ...row, vectors: [axis(1)] }])).rejects.toThrow(TypeError);
      await expect(to.store.putRows(dense, [{ ...row, terms: "walrus" }])).rejects.toThrow(TypeError);
      await expect(to.store.putRows(dense, [{ ...row, vectors: [new Float32Array(3)] }])).rejects.toThrow(TypeError);
    });
  });
}

async function rowsOf(store: VectorStore, space: SpaceRef, ids: readonly DatasetId[]): Promise<StoredRow[]> {
  const found: StoredRow[] = [];
  for await (const rows of store.readRows(space, ids)) found.push(...rows);
  return found.toSorted((one, other) => one.page - other.page);
}
