import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { rowId } from "./filters.ts";
import { putLexical } from "./put.ts";
import type { KeptColumn } from "./kept-column.ts";
import { addressesIn, diskKey, readColumn } from "./read-column.ts";
import { createRowFiller } from "./row-filler.ts";
import { createRowsInMemory } from "./rows-in-memory.ts";
import { openRowsOnDisk, type RowsOnDisk } from "./rows-on-disk.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const [workspaceId, other, datasetId] = [newWorkspaceId(), newWorkspaceId(), newDatasetId()];
const pages = Array.from({ length: 30 }, (_, at) => at + 1);
let folder: string;
let tables: Tables;
let disk: RowsOnDisk | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-filler-"));
  tables = await openTables(join(folder, "tables"), elsewhere);
  const row = { datasetId, generation: "" };
  await putLexical(tables, space, [
    ...pages.map((page) => ({ ...row, workspaceId, page, words: `page ${page}` })),
    { ...row, workspaceId: other, page: 99, words: "of others" },
  ]);
});
afterEach(() => disk?.close());
afterAll(async () => {
  tables.close();
  await rm(folder, { recursive: true });
});

/** Reads a page of the column, as a search that finds it nowhere else does; the keys of all pages on disk. */
async function prepare(name: string, maxBytes: number) {
  const table = await tables.find(space);
  if (table === undefined) throw new Error("there is a table");
  disk = openRowsOnDisk({ folder: join(folder, name), maxBytes: 2 ** 20 });
  const filler = createRowFiller({ maxBytes });
  const onDisk = {
    rows: disk,
    table: "words",
    encode: (value: string) => Buffer.from(value),
    decode: (bytes: Uint8Array) => Buffer.from(bytes).toString(),
    onMiss: filler.onMiss,
  };
  const memory = createRowsInMemory<string>({ maxBytes: 2 ** 20, bytesOf: ({ length }) => length });
  const column: KeptColumn<string> = {
    table,
    workspaceId,
    rows: await memory.of(table),
    name: "terms",
    copy: String,
    disk: onDisk,
  };
  const addresses = addressesIn(await table.query().withRowId().select(["id"]).toArrow());
  const read = (page: number) => {
    const id = rowId({ datasetId, generation: "", page });
    return readColumn(column, new Map([...addresses].filter(([known]) => known === id)));
  };
  const kept = () => [...addresses].filter(([id, address]) => disk?.has(diskKey(column, onDisk, id, address)));
  return { read, kept };
}

test("after some misses all rows of the workspace, and none of others, come to the disk", async () => {
  const { read, kept } = await prepare("all", 2 ** 20);
  for (const page of pages.slice(0, 4)) await read(page);
  await expect.poll(() => kept().length).toBe(4);
  await read(5);
  await expect.poll(() => kept().length).toBe(pages.length);
});

test("a workspace that takes too much of the disk is not read ahead", async () => {
  const { read, kept } = await prepare("none", 100);
  for (const page of pages.slice(0, 10)) await read(page);
  await expect.poll(() => kept().length).toBe(10);
});
