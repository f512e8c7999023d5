import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId, type WorkspaceId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { putLexical } from "./put.ts";
import { readPages } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const [own, other] = [newWorkspaceId(), newWorkspaceId()];
const datasetId = newDatasetId();
const pageOf = (page: number): PageKey => ({ datasetId, page, generation: "" });
let url: string;
let tables: Tables;

beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-pages-"));
  tables = await openTables(url, elsewhere);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

const put = (workspaceId: WorkspaceId, page: number, words: string): Promise<void> =>
  putLexical(tables, space, [{ ...pageOf(page), workspaceId, words }]);

async function read(memory: RowsInMemory<string>, workspaceId: WorkspaceId, pages: readonly number[]) {
  const table = await tables.find(space);
  if (table === undefined) throw new Error("no table");
  const column = { table, workspaceId, rows: await memory.of(table), name: "terms", copy: String };
  return readPages(column, pages.map(pageOf));
}

test("pages are read in their order, those of the workspace, as they are, also where the memory has no room", async () => {
  await Promise.all([put(own, 1, "one"), put(own, 2, "two"), put(other, 3, "three")]);
  const memories = [1_000, 3, 0].map((maxBytes) =>
    createRowsInMemory<string>({ maxBytes, bytesOf: ({ length }) => length }),
  );
  const readAll = (workspaceId: WorkspaceId) =>
    Promise.all(memories.map((memory) => read(memory, workspaceId, [2, 3, 1, 2])));
  for (let time = 0; time < 3; time++) {
    expect(await readAll(own)).toEqual(memories.map(() => ["two", undefined, "one", "two"]));
    expect(await readAll(other)).toEqual(memories.map(() => [undefined, "three", undefined, undefined]));
  }
  await Promise.all([put(own, 2, "second"), put(own, 3, "third")]);
  expect(await readAll(own)).toEqual(memories.map(() => ["second", "third", "one", "second"]));
});
