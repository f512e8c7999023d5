import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import type { PageHit, PageKey } from "../../domain/ports/vectors.ts";
import { bytesOfCodes, type CodedPage, comparePages, lastingCodes, type PageCodes } from "./coded-pages.ts";
import { decodeFirst, encodeVectors } from "./codes.ts";
import { type ColumnFiles, createColumnFiles } from "./column-files/column-files.ts";
import type { KeptColumn } from "./kept-column.ts";
import { putDense } from "./put.ts";
import { readResidentRows } from "./read-resident.ts";
import { createResidentRows, type ResidentRows } from "./resident-rows.ts";
import { useCodes } from "./resident-search.ts";
import { createRowsInMemory } from "./rows-in-memory.ts";
import { elsewhere, openTables } from "./tables.ts";

const random = createRandom(44);
const dimensions = 512;
const space = { kind: "dense", pack: "p@1", name: "text", dimensions, firstPass: "first" } as const;
const workspaceId = newWorkspaceId();
const datasetId = newDatasetId();
const count = 30;
const pageOf = (page: number): PageKey => ({ datasetId, page, generation: "" });
const vectorOf = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
const pages = Array.from({ length: count }, (_, page) => ({ ...pageOf(page), vectors: [vectorOf(), vectorOf()] }));
const codesOf = new Map(pages.map(({ page, vectors }) => [page, encodeVectors(vectors)]));

const roots: string[] = [];
let column: Omit<KeptColumn<PageCodes>, "rows" | "files">;
let rows: ResidentRows;

/** A table of the same name, with the same versions and addresses, in a folder of its own. */
async function makeTable(some: readonly (PageKey & { vectors: Float32Array[] })[], workspace = workspaceId) {
  const root = await mkdtemp(join(tmpdir(), "drs-resident-"));
  roots.push(root);
  const tables = await openTables(root, elsewhere);
  await putDense(
    tables,
    space,
    some.map((page) => ({ ...page, workspaceId: workspace })),
  );
  const table = (await tables.find(space)) ?? expect.unreachable();
  return { root, tables, table };
}

let close: () => void;
beforeAll(async () => {
  const { table, tables } = await makeTable(pages);
  close = () => tables.close();
  const read = await readResidentRows({ table, workspaceId, dimensions }, count, undefined);
  rows = read ?? expect.unreachable();
  column = {
    table,
    workspaceId,
    name: "codes",
    copy: (value) => lastingCodes(Uint8Array.from(value instanceof Uint8Array ? value : [])),
  };
});
afterAll(async () => {
  close();
  for (const root of roots) await rm(root, { recursive: true });
});

const allPlaces = Array.from({ length: count }, (_, place) => place);

function areAll(found: readonly CodedPage[]): void {
  expect(found).toHaveLength(count);
  for (const { page, codes } of found) expect(codes.all).toEqual(codesOf.get(page.page));
}

/** How many of all pages have been read by LanceDB; each has its own codes. */
async function countTaken(root: string, maxBytes = 2 ** 20): Promise<number> {
  rows.codes.fill(undefined);
  const memory = await createRowsInMemory({ maxBytes, bytesOf: bytesOfCodes }).of(column.table);
  const taken = new Set<string>();
  const keep: typeof memory.keep = (address, id, value) => {
    taken.add(id);
    memory.keep(address, id, value);
  };
  const asked = { ...column, rows: { ...memory, keep }, files: createColumnFiles(root, "codes") };
  for (let time = 0; time < 2; time++) {
    await useCodes(asked, rows, { nearest: allPlaces, others: [pageOf(3)] }, areAll);
  }
  return taken.size;
}

test("codes come from the files of the table, also where the memory has no room for all", async () => {
  for (const maxBytes of [2 ** 20, 5_000, 0]) expect(await countTaken(roots[0] ?? "", maxBytes)).toBe(0);
});

test("questions at once find the codes of their pages, though each is read into memory that another one's have left", async () => {
  rows.codes.fill(undefined);
  const memory = createRowsInMemory({ maxBytes: 5_000, bytesOf: bytesOfCodes });
  const reading = createColumnFiles(roots[0] ?? "", "codes");
  let reused = 0;
  const files: ColumnFiles = {
    read: reading.read,
    reuse(value) {
      reused += 1;
      // What is read next is written there, sooner or later.
      value.fill(0);
      reading.reuse(value);
    },
  };
  const question = vectorOf();
  const ask = async (): Promise<readonly PageHit[]> => {
    const nearest = allPlaces.filter(() => random() < 0.4);
    const asked = { ...column, rows: await memory.of(column.table), files };
    return useCodes(asked, rows, { nearest, others: [] }, (found) => {
      expect(found).toHaveLength(nearest.length);
      for (const { page, codes } of found) expect(codes.all).toEqual(codesOf.get(page.page));
      return comparePages({ dimensions, givesVectors: true }, question, found);
    });
  };
  const hits: PageHit[] = [];
  for (let time = 0; time < 20; time++) hits.push(...(await Promise.all(Array.from({ length: 8 }, ask))).flat());
  for (const { page, vector } of hits) {
    expect(vector).toEqual(decodeFirst(codesOf.get(page) ?? expect.unreachable(), dimensions));
  }
  expect(reused).toBeGreaterThan(100);
});

test("rows of a table of the same name that was made since are those of other pages, and not taken for them", async () => {
  const others = pages.map((page) => ({ ...page, vectors: [vectorOf(), vectorOf()] }));
  // The others are LanceDB's to read: one is the same in both.
  const made = await makeTable(others.with(7, pages[7] ?? expect.unreachable()), newWorkspaceId());
  expect(await made.table.version()).toBe(rows.version);
  expect(await countTaken(made.root)).toBe(count - 1);
  made.tables.close();
});

test("codes are known by the first vector, however rows are kept", () => {
  for (const size of [20_000, 20_001]) {
    const some = createResidentRows({ version: 1, dimensions, count: size }) ?? expect.unreachable();
    const axis = Float32Array.from({ length: dimensions }, (_, at) => (at === 5 ? 1 : 0));
    const firsts = [...pages.map(({ vectors: [first] }) => first ?? axis), axis, new Float32Array(dimensions)];
    // As the table keeps them.
    for (const [at, first] of firsts.entries())
      some.push(pageOf(at), BigInt(at), some.encode(new Float32Array(new Float16Array(first))));
    const known = firsts.map((first) => encodeVectors([first, vectorOf()]));
    for (const [place] of firsts.entries()) {
      expect(known.map((codes) => some.areCodesOf(place, codes))).toEqual(firsts.map((_, at) => at === place));
    }
    expect(some.areCodesOf(0, (known[0] ?? expect.unreachable()).subarray(1))).toBe(false);
    expect(some.areCodesOf(0, new Uint8Array())).toBe(false);
  }
});
