import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import type { PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { bytesOfCodes, type CodedPage, comparePages, lastingCodes, type PageCodes } from "./coded-pages.ts";
import type { KeptColumn } from "./kept-column.ts";
import { putDense } from "./put.ts";
import { readResidentRows } from "./read-resident.ts";
import { createResidentRows, type GrowingRows } from "./resident-rows.ts";
import { nearestPlaces, useCodes } from "./resident-search.ts";
import { createRowsInMemory } from "./rows-in-memory.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const dimensions = 32;
const space = { kind: "dense", pack: "p@1", name: "text", dimensions, firstPass: "first" } as const;
const workspaceId = newWorkspaceId();
const [datasetId, other] = [newDatasetId(), newDatasetId()];
const count = 20;
let url: string;
let tables: Tables;

const axis = (at: number): Float32Array =>
  Float32Array.from({ length: dimensions }, (_, each) => (each === at ? 1 : 0));
const pageOf = (page: number): PageKey => ({ datasetId, page, generation: "" });

beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-resident-"));
  tables = await openTables(url, elsewhere);
  const pages = Array.from({ length: count }, (_, at) => ({ ...pageOf(at), workspaceId, vectors: [axis(at)] }));
  const another = { ...pageOf(0), datasetId: other, workspaceId, vectors: [axis(0)] };
  await putDense(tables, space, [...pages, another]);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

async function asked() {
  const table = await tables.find(space);
  if (table === undefined) throw new Error("no table");
  return { table, workspaceId, dimensions };
}

async function resident(before?: GrowingRows): Promise<GrowingRows> {
  const rows = await readResidentRows(await asked(), count + 1, before);
  if (rows === undefined) throw new Error("no rows");
  return rows;
}

async function columnOf(maxBytes: number): Promise<KeptColumn<PageCodes>> {
  const { table } = await asked();
  const rows = await createRowsInMemory({ maxBytes, bytesOf: bytesOfCodes }).of(table);
  const copy = (value: unknown): PageCodes => lastingCodes(Uint8Array.from(value instanceof Uint8Array ? value : []));
  return { table, workspaceId, rows, name: "codes", copy };
}

/** Pages that are like the axes of their numbers. */
const areTheirs = (pages: readonly CodedPage[]): boolean =>
  pages.every(({ page, codes }) => (comparePages(space, axis(page.page), [{ page, codes }])[0]?.score ?? 0) > 0.99);

test("codes are those of their pages, read once, and again once they have been dropped", async () => {
  // Room for all, for some, and for none.
  for (const maxBytes of [2 ** 20, 5 * (4 + dimensions), 0]) {
    const rows = await resident();
    const nearest = await nearestPlaces(rows, axis(3), { datasetIds: undefined, limit: count + 1 });
    const column = await columnOf(maxBytes);
    for (let time = 0; time < 3; time++) {
      const asked = { nearest, others: [pageOf(3)] };
      const found = await useCodes(column, rows, asked, (pages) => [pages.length, areTheirs(pages)]);
      expect(found).toEqual([count + 1, true]);
      const kept = rows.codes.filter((row) => row?.value !== undefined);
      expect(kept).toHaveLength(Math.min(count + 1, Math.floor(maxBytes / (4 + dimensions))));
    }
  }
});

test("others are there that were put since, and not those without vectors", async () => {
  const rows = await resident();
  const [since, never] = [pageOf(30), pageOf(31)];
  await putDense(tables, space, [{ ...since, workspaceId, vectors: [axis(30)] }]);
  const others = [since, never, pageOf(2)];
  const found = await useCodes(await columnOf(2 ** 20), rows, { nearest: [], others }, (pages) => [
    pages.map(({ page }) => page.page).toSorted((one, other) => one - other),
    areTheirs(pages),
  ]);
  expect(found).toEqual([[2, 30], true]);
  const { table } = await asked();
  await table.delete("page = 30");
});

test("only datasets of the scope are found, as many pages as there would be without the others", async () => {
  const rows = await resident();
  const find = async (scope: Partial<SearchScope>) => {
    const places = await nearestPlaces(rows, axis(0), { datasetIds: undefined, limit: 5, ...scope });
    return places.map((place) => rows.pageAt(place));
  };
  const [best] = [{ ...pageOf(0), datasetId: other }];
  for (const scope of [{ pass: async () => new Set([other]) }, { datasetIds: [other] }, { without: [datasetId] }]) {
    expect(await find(scope)).toEqual([best]);
    expect(await find({ ...scope, limit: 1 })).toEqual([best]);
  }
  for (const scope of [{ pass: async () => new Set([datasetId]) }, { datasetIds: [datasetId] }, { without: [other] }]) {
    const found = await find(scope);
    expect(found).toHaveLength(5);
    expect(found[0]).toEqual(pageOf(0));
    expect(found.every((page) => page.datasetId === datasetId)).toBe(true);
  }
  expect(await find({ datasetIds: [other], without: [other] })).toEqual([]);
  expect(await find({ datasetIds: [datasetId, other], pass: async () => new Set([other]) })).toEqual([best]);
});

test("a row that is at the address of another one since is read anew", async () => {
  const known = await resident();
  const before = createResidentRows({ version: 0, dimensions, count: count + 1 });
  if (before === undefined) throw new Error("no rows");
  for (let place = 0; place <= count; place++) {
    const [page, address] = [known.pageAt(place), known.addressAt((place + 1) % (count + 1))];
    // One is where it was.
    if (place === 7) before.push(page, known.addressAt(place), before.encode(axis(page.page)));
    else before.push(page, address, before.encode(axis(31)));
  }
  const rows = await resident(before);
  for (let page = 1; page < count; page++) {
    const [nearest = -1] = rows.nearestTo(axis(page))(1);
    expect(rows.pageAt(nearest).page).toBe(page);
    expect(rows.addressAt(nearest)).toBe(known.addressAt(known.placeOf(pageOf(page)) ?? -1));
  }
});
