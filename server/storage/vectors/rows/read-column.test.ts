import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LanceTables, openLanceTables } from "../../../../test/stores/testing/lance-table.ts";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import { pageId } from "../filters.ts";
import { readPages } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";

const pack = { id: "p@1", spaces: [{ kind: "lexical", pack: "p@1", name: "words" }] } as const;
const index = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "" };
const pageOf = (page: number): PageKey => ({ datasetId: index.datasetId, page, generation: "" });
let lance: LanceTables;
beforeAll(async () => {
  lance = await openLanceTables(pack);
});
afterAll(() => lance.dispose());

const put = (table: Table, page: number, words?: string): Promise<void> =>
  lance.put(table, index, [
    { page, spaces: words === undefined ? [] : [{ space: "words", kind: "lexical" as const, words }] },
  ]);

async function read(memory: RowsInMemory<string>, table: Table, pages: readonly number[]) {
  const column = { table, rows: await memory.of(table), name: "words", idOf: pageId, copy: String };
  return readPages(column, pages.map(pageOf));
}

test("pages are read in order, as they are in the table, even if the memory has no room", async () => {
  const [own, other] = await Promise.all([lance.make(), lance.make()]);
  await put(own, 1, "one");
  await put(own, 2, "two");
  await put(own, 4);
  await put(other, 3, "three");
  const memories = [1_000, 3, 0].map((maxBytes) =>
    createRowsInMemory<string>({ maxBytes, bytesOf: ({ length }) => length }),
  );
  const readAll = (table: Table) => Promise.all(memories.map((memory) => read(memory, table, [2, 3, 4, 1, 2])));
  for (let time = 0; time < 3; time++) {
    expect(await readAll(own)).toEqual(memories.map(() => ["two", undefined, undefined, "one", "two"]));
    expect(await readAll(other)).toEqual(memories.map(() => [undefined, "three", undefined, undefined, undefined]));
  }
  await put(own, 2, "second");
  await put(own, 3, "third");
  await put(own, 1);
  await put(own, 4, "fourth");
  expect(await readAll(own)).toEqual(memories.map(() => ["second", "third", "fourth", undefined, "second"]));
});
