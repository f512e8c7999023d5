import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId, type WorkspaceId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { rowId } from "./filters.ts";
import type { KeptColumn } from "./kept-column.ts";
import { putLexical } from "./put.ts";
import { locate, readColumn } from "./read-column.ts";
import { createRowsInMemory, type RowsInMemory } from "./rows-in-memory.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const perQuestion = 150;
let url: string;
let tables: Tables;

beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-ahead-"));
  tables = await openTables(url, elsewhere);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

async function put(workspaceId: WorkspaceId, count: number): Promise<readonly PageKey[]> {
  const row = { workspaceId, datasetId: newDatasetId(), generation: "" };
  const pages = Array.from({ length: count }, (_, index) => ({ ...row, page: index + 1 }));
  await putLexical(
    tables,
    space,
    pages.map((page) => ({ ...page, words: `words of page ${page.page}` })),
  );
  return pages;
}

async function tableOf(): Promise<Table> {
  const table = await tables.find(space);
  if (table === undefined) throw new Error("no table");
  return table;
}

async function columnOf(memory: RowsInMemory<string>, workspaceId: WorkspaceId): Promise<KeptColumn<string>> {
  const table = await tableOf();
  return { table, workspaceId, rows: await memory.of(table), name: "terms", copy: String };
}

/** Reads the pages as a question does; what is at each of the others afterwards, without asking the table. */
async function read(memory: RowsInMemory<string>, workspaceId: WorkspaceId, pages: readonly PageKey[]) {
  const column = await columnOf(memory, workspaceId);
  await readColumn(column, await locate(column, pages));
}

const createMemory = (): RowsInMemory<string> =>
  createRowsInMemory({ maxBytes: 2 ** 20, bytesOf: (text) => text.length });

async function inMemory(memory: RowsInMemory<string>, workspaceId: WorkspaceId, page: PageKey | undefined) {
  const { rows } = await columnOf(memory, workspaceId);
  const id = page === undefined ? "" : rowId(page);
  const address = rows.addressesOf(workspaceId).get(id);
  return address === undefined ? undefined : rows.at(address, id);
}

test("all rows of a workspace are read once many of them have been, and no other's", async () => {
  const [own, other] = [newWorkspaceId(), newWorkspaceId()];
  const [pages, others] = [await put(own, 3 * perQuestion), await put(other, perQuestion)];
  const memory = createMemory();

  await read(memory, own, pages.slice(0, perQuestion));
  expect(await inMemory(memory, own, pages.at(-1))).toBeUndefined();
  await read(memory, own, pages.slice(perQuestion, 2 * perQuestion));
  await expect.poll(() => inMemory(memory, own, pages.at(-1)), { timeout: 20_000 }).toContain("450");
  expect(await inMemory(memory, other, others[0])).toBeUndefined();
  const column = await columnOf(memory, own);
  expect([...(await readColumn(column, await locate(column, pages))).keys()].toSorted()).toEqual(
    pages.map(rowId).toSorted(),
  );
});

test("a workspace of which few rows have been asked for is not read", async () => {
  const workspaceId = newWorkspaceId();
  const pages = await put(workspaceId, 20 * perQuestion);
  const memory = createMemory();
  const [known, unknown] = [pages.slice(0, 2 * perQuestion), pages.at(-1)];
  await read(memory, workspaceId, known);
  // Once this has been read, what the first was followed by has had its turn.
  await read(memory, workspaceId, known);
  expect(await inMemory(memory, workspaceId, unknown)).toBeUndefined();
  await read(memory, workspaceId, pages.slice(2 * perQuestion, 3 * perQuestion));
  await expect.poll(() => inMemory(memory, workspaceId, unknown), { timeout: 20_000 }).toContain("3000");
});
