import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { between, createRandom } from "../../../../bench/measuring/random.ts";
import { type LanceTables, openLanceTables } from "../../../../test/stores/testing/lance-table.ts";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import { type CodedMemory, createCodesInMemory } from "./coded-search.ts";
import { searchDense } from "./search.ts";

const random = createRandom(45);
const dimensions = 512;
const pageCount = 120;
const space = { kind: "dense", pack: "p@1", name: "text", dimensions, firstPass: "first" } as const;
const index = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
let lance: LanceTables;
beforeAll(async () => {
  lance = await openLanceTables({ id: "p@1", spaces: [space] });
});
afterAll(() => lance.dispose());

const vectorOf = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
const pagesFrom = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from + at);

const put = (table: Table, pages: readonly number[]): Promise<void> =>
  lance.put(
    table,
    index,
    pages.map((page) => {
      // Some pages have no row in the space.
      const vectors = Array.from({ length: between(random, 0, 5) }, vectorOf);
      return { page, spaces: [{ space: space.name, kind: "dense" as const, vectors }] };
    }),
  );

const acts = ["delete", "put again", "fold", "fold", "put again"] as const;
const emptyMemory = (): CodedMemory => ({ codes: createCodesInMemory() });

test("codes in memory match the table while it is written to, compacted and removed", async () => {
  const memory = emptyMemory();
  const scope = { workspaceId: index.workspaceId, datasetIds: undefined, limit: pageCount };
  const search = async (table: Table, by: CodedMemory, question: Float32Array) =>
    searchDense({ table, ...by }, space, question, scope);
  const tables = await Promise.all([lance.make(), lance.make()]);
  const isSame = async (table: Table): Promise<void> => {
    const question = vectorOf();
    const expected = await search(table, emptyMemory(), question);
    expect(expected.length).toBeGreaterThan(0);
    expect(await search(table, memory, question)).toEqual(expected);
  };

  for (const table of tables) await put(table, pagesFrom(0, pageCount));
  for (const table of tables) await isSame(table);
  for (let time = 0; time < 2 * acts.length; time++) {
    for (const table of tables) {
      const from = between(random, 0, pageCount - 20);
      const act = acts[time % acts.length];
      const ids = pagesFrom(from, 10).map((page) => `'${index.datasetId}/${page}'`);
      if (act === "delete") await table.delete(`id IN (${ids.join(", ")})`);
      else if (act === "fold") await table.optimize({ cleanupOlderThan: new Date() });
      else await put(table, pagesFrom(from, 20));
      await isSame(table);
    }
  }
});
