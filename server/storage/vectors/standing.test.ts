import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { putLexical } from "./put.ts";
import { countRowsOf, moveToLatest, noteStanding, versionOf } from "./standing.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const workspaceId = newWorkspaceId();
let url: string;
let tables: Tables;
let table: Table;
beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-standing-"));
  tables = await openTables(url, elsewhere);
  await put();
  table = await findStanding();
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

const put = (): Promise<void> =>
  putLexical(tables, space, [{ workspaceId, datasetId: newDatasetId(), generation: "", page: 1, words: "otter" }]);

/** An hour old, if it was there then: it does not move by itself. */
async function findStanding(): Promise<Table> {
  const found = await tables.findSince(space, performance.now() - 3_600_000);
  if (found === undefined) throw new Error("there is a table");
  return found;
}

test("rows are counted once in a version", async () => {
  await noteStanding(table);
  const count = vi.spyOn(table, "countRows");
  expect([await countRowsOf(table), await countRowsOf(table)]).toEqual([1, 1]);
  expect(count).toHaveBeenCalledOnce();
  const version = await versionOf(table);
  await put();
  expect([await versionOf(table), await countRowsOf(table)]).toEqual([version, 1]);
  await moveToLatest(table);
  expect(await versionOf(table)).toBeGreaterThan(version);
  expect(await countRowsOf(table)).toBe(2);
});
