import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newWorkspaceId } from "../../domain/ids.ts";
import { createRowsInMemory } from "./rows-in-memory.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const [one, other] = ["one", "other"].map((name) => ({ kind: "lexical", pack: "p@1", name }) as const);
let url: string;
let tables: Tables;
let table: Table;
let another: Table;
beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-rows-"));
  tables = await openTables(url, elsewhere);
  if (one === undefined || other === undefined) throw new Error("two tables");
  [table, another] = await Promise.all([tables.findOrCreate(one), tables.findOrCreate(other)]);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

const memoryOf = (maxBytes: number) => createRowsInMemory<string>({ maxBytes, bytesOf: ({ length }) => length });

test("a row is found at its address alone, and in its table", async () => {
  const memory = memoryOf(100);
  (await memory.of(table)).keep(1n, "a", "first");
  (await memory.of(another)).keep(1n, "a", "another");
  expect((await memory.of(table)).at(1n, "a")).toBe("first");
  expect((await memory.of(another)).at(1n, "a")).toBe("another");
  (await memory.of(table)).keep(2n, "a", "moved");
  expect((await memory.of(table)).at(1n, "a")).toBeUndefined();
  expect((await memory.of(table)).at(2n, "a")).toBe("moved");
});

test("rows that are used stay when there is no room for all, of whatever table", async () => {
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

test("where rows are is known by workspace", async () => {
  const rows = await memoryOf(1).of(table);
  const [mine, theirs] = [newWorkspaceId(), newWorkspaceId()];
  rows.addressesOf(mine).set("a", 1n);
  expect((await memoryOf(1).of(table)).addressesOf(mine).size).toBe(0);
  expect(rows.addressesOf(mine).get("a")).toBe(1n);
  expect(rows.addressesOf(theirs).has("a")).toBe(false);
});
