import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRowsInMemory } from "./rows-in-memory.ts";
import { newTableName, openTables, type Tables } from "../tables.ts";

const pack = { id: "p@1", spaces: [{ kind: "lexical", pack: "p@1", name: "words" }] } as const;
let url: string;
let tables: Tables;
let table: Table;
let another: Table;
beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-rows-"));
  tables = await openTables(url);
  const make = async (name = newTableName()): Promise<Table> => {
    await tables.create(name, pack);
    return tables.open(name);
  };
  [table, another] = await Promise.all([make(), make()]);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

const memoryOf = (maxBytes: number) => createRowsInMemory<string>({ maxBytes, bytesOf: ({ length }) => length });

test("a row is found only at its address and in its table", async () => {
  const memory = memoryOf(100);
  (await memory.of(table)).keep(1n, "a", "first");
  (await memory.of(another)).keep(1n, "a", "another");
  expect((await memory.of(table)).at(1n, "a")).toBe("first");
  expect((await memory.of(another)).at(1n, "a")).toBe("another");
  (await memory.of(table)).keep(2n, "a", "moved");
  expect((await memory.of(table)).at(1n, "a")).toBeUndefined();
  expect((await memory.of(table)).at(2n, "a")).toBe("moved");
});

test("rows in use stay if there is no room for all, whatever their table", async () => {
  const memory = memoryOf(4);
  const [rows, others] = await Promise.all([memory.of(table), memory.of(another)]);
  for (const [at, id] of ["a", "b", "c"].entries()) rows.keep(BigInt(at), id, id);
  others.keep(0n, "a", "A");
  others.keep(1n, "b", "B");
  expect(rows.at(0n, "a")).toBeUndefined();
  expect(rows.at(1n, "b")).toBe("b");
  others.keep(2n, "c", "C");
  expect(rows.at(1n, "b")).toBe("b");
  expect(rows.at(2n, "c")).toBeUndefined();
  expect([others.at(0n, "a"), others.at(1n, "b"), others.at(2n, "c")]).toEqual(["A", "B", "C"]);
});

test("the addresses of rows are known for one version of the table", async () => {
  const memory = memoryOf(100);
  const rows = await memory.of(table);
  rows.addresses.set("a", 1n);
  rows.keep(1n, "a", "first");
  expect((await memory.of(table)).addresses.get("a")).toBe(1n);
  expect((await memory.of(another)).addresses.has("a")).toBe(false);
  // Creates a version.
  await table.delete("true");
  expect((await memory.of(table)).addresses.has("a")).toBe(false);
  expect((await memory.of(table)).at(1n, "a")).toBe("first");
});
