import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { between, createRandom } from "../../../../bench/measuring/random.ts";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import { putTerms } from "../put.ts";
import { elsewhere, openTables, type Tables } from "../tables.ts";
import type { Changes } from "./changes.ts";
import { createTableChanges, type TableChanges } from "./table-changes.ts";
import type { TableLayout } from "./table-layout.ts";

const random = createRandom(17);
const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
let root: string;
let tables: Tables;
let changes: TableChanges;
let names = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "drs-changes-"));
  tables = await openTables(root, elsewhere);
  changes = createTableChanges(root);
});
afterAll(async () => {
  tables.close();
  await rm(root, { recursive: true });
});

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

interface Held {
  readonly table: Table;
  /** Puts pages; those that are there already are replaced. */
  put(from: number, to: number): Promise<void>;
  remove(from: number, to: number): Promise<unknown>;
  fold(): Promise<unknown>;
}

async function hold(pages: number): Promise<Held> {
  const space = { kind: "lexical", pack: "p@1", name: `t${++names}` } as const;
  const put = (from: number, to: number): Promise<void> =>
    putTerms(
      tables,
      space,
      range(from, to).map((page) => ({ workspaceId, datasetId, generation: "", page, terms: `${random()}` })),
    );
  await put(0, pages);
  const table = (await tables.find(space)) ?? expect.unreachable();
  return {
    table,
    put,
    remove: (from, to) => table.delete(`page >= ${from} AND page < ${to}`),
    fold: () => table.optimize({ cleanupOlderThan: new Date(0) }),
  };
}

/** Text of each row, which no other has, by address. */
async function textsIn(table: Table): Promise<Map<bigint, string>> {
  const rows = await table.query().withRowId().select(["terms"]).toArrow();
  const [texts, addresses] = [rows.getChild("terms"), rows.getChild("_rowid")];
  return new Map(Array.from({ length: rows.numRows }, (_, at) => [BigInt(addresses?.get(at)), String(texts?.get(at))]));
}

const layoutOf = async (table: Table): Promise<TableLayout> =>
  (await changes.layoutOf(table)) ?? expect.unreachable("no layout");

/** What the rows before have become, with those that have come, is what the table has. */
async function expectRight(table: Table, before: ReadonlyMap<bigint, string>, { follow, ...found }: Changes) {
  const addresses = BigUint64Array.from(before.keys());
  const followed = follow(addresses);
  const gone = new Set(followed.gone);
  const now = await textsIn(table);
  const expected = new Map(now);
  for (const [at, address] of addresses.entries()) {
    if (gone.has(at)) continue;
    const place = followed.addresses[at] ?? -1n;
    expect(now.get(place)).toBe(before.get(address));
    expected.delete(place);
  }
  expect(new Set(found.added())).toEqual(new Set(expected.keys()));
  expect(found.added()).toHaveLength(expected.size);
  expect(found.addedCount).toBe(expected.size);
  expect(await layoutOf(table)).toEqual(found.layout);
}

test("rows that come, go, are replaced and are folded are followed, over one version and over several", async () => {
  const { table, put, remove, fold } = await hold(60);
  let last = await layoutOf(table);
  let texts = await textsIn(table);
  const seen = { moved: 0, followed: 0 };
  for (let round = 0; round < 60; round++) {
    for (let steps = between(random, 1, 4); steps > 0; steps--) {
      const from = between(random, 0, 400);
      const act = between(random, 0, 3);
      if (act === 0) await put(from, from + between(random, 1, 60));
      else if (act === 1) await put(400 + from, 401 + from);
      else if (act === 2) await remove(from, from + between(random, 1, 20));
      else await fold();
    }
    const found = (await table.version()) === last.version ? undefined : await changes.since(table, last);
    if (found !== undefined) {
      await expectRight(table, texts, found);
      seen.followed += 1;
      seen.moved += last.fragments.keys().every((id) => found.layout.fragments.has(id)) ? 0 : 1;
    }
    last = await layoutOf(table);
    texts = await textsIn(table);
  }
  // Rows that were removed and folded between two looks are not followed.
  expect(seen.followed).toBeGreaterThan(30);
  expect(seen.moved).toBeGreaterThan(5);
});

test("what was put in between and folded with what was there has come", async () => {
  const { table, put, remove, fold } = await hold(100);
  await remove(20, 30);
  const [before, texts] = [await layoutOf(table), await textsIn(table)];
  for (let from = 100; from < 160; from += 10) await put(from, from + 10);
  await fold();
  await fold();
  const after = await changes.since(table, before);
  expect(before.fragments.keys().some((id) => after?.layout.fragments.has(id) === true)).toBe(false);
  await expectRight(table, texts, after ?? expect.unreachable());
  expect(after?.addedCount).toBe(60);
});

test("a version whose manifests are gone, another table and one without a folder are not followed", async () => {
  const { table, put, fold } = await hold(50);
  const before = await layoutOf(table);
  expect(await changes.since(table, before)).toBeUndefined();
  const other = await hold(50);
  await other.put(50, 60);
  expect(await changes.since(other.table, before)).toBeUndefined();
  await put(50, 60);
  await put(60, 70);
  await fold();
  await table.optimize({ cleanupOlderThan: new Date() });
  expect(await changes.since(table, before)).toBeUndefined();
  expect(await createTableChanges(join(root, "none")).layoutOf(table)).toBeUndefined();
});
