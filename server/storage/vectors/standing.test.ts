import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newDatasetId, newWorkspaceId, type WorkspaceId } from "../../domain/ids.ts";
import { putLexical } from "./put.ts";
import { askOfWorkspace, countRowsOf, moveToLatest, noteStanding, versionOf } from "./standing.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const [mine, theirs] = [newWorkspaceId(), newWorkspaceId()];
let url: string;
let tables: Tables;
let table: Table;
beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-standing-"));
  tables = await openTables(url, elsewhere);
  await put(mine);
  table = await findStanding();
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

const put = (workspaceId: WorkspaceId): Promise<void> =>
  putLexical(tables, space, [{ workspaceId, datasetId: newDatasetId(), generation: "", page: 1, words: "otter" }]);

/** An hour old, if it was there then: it does not move by itself. */
async function findStanding(): Promise<Table> {
  const found = await tables.findSince(space, performance.now() - 3_600_000);
  if (found === undefined) throw new Error("there is a table");
  return found;
}

/** How the table was asked: whether for all rows. */
async function asked(workspaceId: WorkspaceId, meanwhile = async (): Promise<void> => undefined): Promise<boolean[]> {
  const ways: boolean[] = [];
  await askOfWorkspace(table, workspaceId, async (isOnly) => {
    ways.push(isOnly);
    await meanwhile();
  });
  return ways;
}

test("a table without rows of others is asked for all, as long as it stays", async () => {
  expect(await asked(mine)).toEqual([true]);
  expect(await asked(theirs)).toEqual([false]);
  expect(await asked(mine)).toEqual([true]);
});

test("it is asked again for those of the workspace if others have come to it meanwhile", async () => {
  await put(theirs);
  expect(await asked(mine, () => moveToLatest(table))).toEqual([true, false]);
  expect(await asked(mine)).toEqual([false]);
  expect(await asked(theirs)).toEqual([false]);
});

test("a handle that nobody keeps at a version is asked for the rows of the workspace", async () => {
  const moving = await tables.find(space);
  if (moving === undefined) throw new Error("there is a table");
  await askOfWorkspace(moving, mine, async (isOnly) => expect(isOnly).toBe(false));
});

test("rows are counted once in a version", async () => {
  await noteStanding(table);
  const count = vi.spyOn(table, "countRows");
  expect([await countRowsOf(table), await countRowsOf(table)]).toEqual([2, 2]);
  expect(count).toHaveBeenCalledOnce();
  const version = await versionOf(table);
  await put(mine);
  expect([await versionOf(table), await countRowsOf(table)]).toEqual([version, 2]);
  await moveToLatest(table);
  expect(await versionOf(table)).toBeGreaterThan(version);
  expect(await countRowsOf(table)).toBe(3);
});
