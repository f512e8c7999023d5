import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { between, createRandom } from "../../../../bench/measuring/random.ts";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import { folderNameOf } from "../folder.ts";
import { putDense } from "../put.ts";
import { tableName } from "../table-names.ts";
import { elsewhere, openTables, type Tables } from "../tables.ts";
import { createColumnFiles } from "./column-files.ts";

const random = createRandom(43);
const workspaceId = newWorkspaceId();
const datasetId = newDatasetId();
let root: string;
let tables: Tables;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "drs-column-"));
  tables = await openTables(root, elsewhere);
});
afterAll(async () => {
  tables.close();
  await rm(root, { recursive: true });
});

const spaceNamed = (name: string, dimensions = 512) =>
  ({ kind: "dense", pack: "p@1", name, dimensions, firstPass: "first" }) as const;
type Space = ReturnType<typeof spaceNamed>;

async function tableOf(space: Space): Promise<Table> {
  return (await tables.find(space)) ?? expect.unreachable();
}

const vectorOf = (dimensions: number): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);

/** Pages of one to nine vectors. */
async function put(space: Space, pages: readonly number[], maxVectors = 9): Promise<void> {
  const rows = pages.map((page) => {
    const vectors = Array.from({ length: between(random, 1, maxVectors) }, () => vectorOf(space.dimensions));
    return { workspaceId, datasetId, generation: "", page, vectors };
  });
  await putDense(tables, space, rows);
}

/** What LanceDB has at the addresses, by address. */
async function taken(table: Table): Promise<ReadonlyMap<bigint, Buffer>> {
  const rows = await table.query().withRowId().select(["codes"]).toArrow();
  const [addresses, codes] = [rows.getChild("_rowid"), rows.getChild("codes")];
  return new Map(
    Array.from({ length: rows.numRows }, (_, at) => [BigInt(addresses?.get(at)), Buffer.from(codes?.get(at))] as const),
  );
}

/** How many of the table's values are read from files; each that is read is LanceDB's. */
async function countRead(table: Table, files = createColumnFiles(root, "codes")): Promise<number> {
  const known = await taken(table);
  const addresses = [...known.keys()];
  const read = await files.read(table, await table.version(), addresses);
  for (const [at, address] of addresses.entries()) {
    const value = read[at];
    if (value !== undefined && known.get(address)?.equals(value) !== true)
      throw new Error(`another value at ${address}`);
  }
  return read.filter((value) => value !== undefined).length;
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

// Fails where LanceDB begins to write otherwise: nothing is wrong then, but searches take longer.
test("all that LanceDB writes is read as it gives it: few rows and many, put again, removed, folded", async () => {
  const space = spaceNamed("all");
  const files = createColumnFiles(root, "codes");
  await put(space, range(0, 2));
  const table = await tableOf(space);
  const isAllRead = async (): Promise<void> => {
    const count = await table.countRows();
    expect(await countRead(table, files)).toBe(count);
    expect(await countRead(table)).toBe(count);
  };
  await isAllRead();
  await put(space, range(2, 41), 1);
  await isAllRead();
  await put(space, range(30, 900));
  await isAllRead();
  for (let time = 0; time < 12; time++) {
    const from = between(random, 0, 900);
    const act = between(random, 0, 3);
    if (act === 0) await put(space, range(from, from + between(random, 2, 60)));
    else if (act === 1) await put(space, [from, between(random, 901, 1_000)]);
    else if (act === 2) await table.delete(`page >= ${from} AND page < ${from + between(random, 1, 40)}`);
    else await table.optimize();
    await isAllRead();
  }
  await table.optimize({ cleanupOlderThan: new Date() });
  await isAllRead();
});

test("rows that are asked for in any order, and more than once, are given in this order", async () => {
  const space = spaceNamed("order");
  await put(space, range(0, 50));
  await put(space, range(50, 70));
  const table = await tableOf(space);
  const known = await taken(table);
  const addresses = Array.from({ length: 200 }, () => [...known.keys()][between(random, 0, 69)] ?? 0n);
  const read = await createColumnFiles(root, "codes").read(table, await table.version(), addresses);
  expect(read.map((value) => value && Buffer.from(value))).toEqual(addresses.map((address) => known.get(address)));
});

test("rows that are not there, and tables without the column, are left to LanceDB", async () => {
  const space = spaceNamed("none");
  await put(space, range(0, 5));
  const table = await tableOf(space);
  const files = createColumnFiles(root, "codes");
  const version = await table.version();
  const others = [5n, 2n ** 32n - 1n, 1n << 40n, 2n ** 63n];
  expect(await files.read(table, version, others)).toEqual(others.map(() => undefined));
  expect(await files.read(table, version + 1, [0n])).toEqual([undefined]);
  expect(await createColumnFiles(root, "first").read(table, version, [0n])).toEqual([undefined]);
  expect(await createColumnFiles(root, "terms").read(table, version, [0n])).toEqual([undefined]);
});

test("values of few bytes, and one that is alone, are written in another way, and left to LanceDB", async () => {
  const [small, alone] = [spaceNamed("small", 32), spaceNamed("alone")];
  await put(small, range(0, 300));
  expect(await countRead(await tableOf(small))).toBe(0);
  await put(alone, [0]);
  const table = await tableOf(alone);
  expect(await countRead(table)).toBe(0);
  await put(alone, range(1, 10));
  expect(await countRead(table)).toBe(9);
  await table.optimize();
  expect(await countRead(table)).toBe(10);
});

test("a version whose files have been removed is left to LanceDB", async () => {
  const space = spaceNamed("gone");
  const files = createColumnFiles(root, "codes");
  await put(space, range(0, 30));
  const table = await tableOf(space);
  const version = await table.version();
  const addresses = [...(await taken(table)).keys()];
  expect((await files.read(table, version, addresses)).every((value) => value !== undefined)).toBe(true);
  await put(space, range(20, 40));
  // What a round of folding replaces itself is removed by the next one.
  for (let round = 0; round < 2; round++) await table.optimize({ cleanupOlderThan: new Date() });
  for (const each of [files, createColumnFiles(root, "codes")]) {
    const read = await each.read(table, version, addresses);
    expect(read.filter((value) => value !== undefined)).toHaveLength(0);
  }
  expect(await countRead(table, files)).toBe(40);
});

test("of damaged files nothing is read that they did not have", async () => {
  const space = spaceNamed("damaged");
  await put(space, range(0, 40));
  const table = await tableOf(space);
  const known = await taken(table);
  const [addresses, version] = [[...known.keys()], await table.version()];
  const copy = await mkdtemp(join(tmpdir(), "drs-column-"));
  const folder = folderNameOf(tableName(space));
  await cp(join(root, folder), join(copy, folder), { recursive: true });
  const paths = await Promise.all(
    ["data", "_versions"].map(async (name) => {
      const [file = ""] = (await readdir(join(copy, folder, name))).filter((each) =>
        /\.(?:lance|manifest)$/.test(each),
      );
      return join(copy, folder, name, file);
    }),
  );
  const countRight = async (): Promise<number> => {
    const read = await createColumnFiles(copy, "codes").read(table, version, addresses);
    for (const [at, value] of read.entries()) {
      if (value !== undefined && known.get(addresses[at] ?? -1n)?.equals(value) !== true) return -1;
    }
    return read.filter((value) => value !== undefined).length;
  };
  expect(await countRight()).toBe(40);
  for (const path of paths) {
    const whole = await readFile(path);
    const values = known.values().reduce((sum, { length }) => sum + length, 0);
    // Behind the values are their offsets and what says where everything is; of the values themselves LanceDB has no sums either.
    const from = path.endsWith(".lance") ? whole.indexOf(known.get(addresses[0] ?? 0n) ?? "") + values + 39 * 4 : 0;
    for (let time = 0; time < 400; time++) {
      const damaged = Buffer.from(whole);
      for (let flips = between(random, 1, 3); flips > 0; flips--) {
        damaged[between(random, from, whole.length - 1)] = between(random, 0, 255);
      }
      await writeFile(path, damaged);
      expect(await countRight()).toBeGreaterThanOrEqual(0);
    }
    for (const length of [0, 3, 16, 40, from, whole.length - 1]) {
      await writeFile(path, whole);
      await truncate(path, length);
      expect(await countRight()).toBe(0);
    }
    await writeFile(path, whole);
  }
  expect(await countRight()).toBe(40);
  await rm(copy, { recursive: true });
});
