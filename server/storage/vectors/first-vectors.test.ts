import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { type DatasetId, newDatasetId, newWorkspaceId, type WorkspaceId } from "../../domain/ids.ts";
import { createTableChanges } from "./changes/table-changes.ts";
import { createFirstVectors, type FirstVectors } from "./first-vectors.ts";
import { putDense } from "./put.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";

const dimensions = 64;
const space = { kind: "dense", pack: "p@1", name: "text", dimensions, firstPass: "first" } as const;
const random = createRandom(3);
const vector = (): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);
let url: string;
let tables: Tables;

beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-first-"));
  tables = await openTables(url, elsewhere);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

const datasets = new Map<WorkspaceId, DatasetId>();

async function put(workspaceId: WorkspaceId, pages: ReadonlyMap<number, Float32Array>): Promise<void> {
  const datasetId = datasets.get(workspaceId) ?? newDatasetId();
  datasets.set(workspaceId, datasetId);
  const row = { workspaceId, datasetId, generation: "" };
  await putDense(
    tables,
    space,
    Array.from(pages, ([page, first]) => ({ ...row, page, vectors: [first] })),
  );
}

/** The pages that are nearest; undefined: they are not in memory. */
async function ask(first: FirstVectors, workspaceId: WorkspaceId, question: Float32Array, limit: number) {
  const table = await tables.find(space);
  if (table === undefined) throw new Error("no table");
  const rows = await first.of(table, { workspaceId, dimensions });
  return rows
    ?.nearestTo(question)(limit)
    .map((place) => rows.pageAt(place).page);
}

/** What is in memory, as soon as it is. */
const untilAnswered = async (first: FirstVectors, workspaceId: WorkspaceId, question: Float32Array, limit: number) => {
  await expect.poll(() => ask(first, workspaceId, question, limit), { timeout: 20_000 }).toBeDefined();
  return ask(first, workspaceId, question, limit);
};

const cosine = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0) / Math.hypot(...one) / Math.hypot(...other);

const nearestOf = (pages: ReadonlyMap<number, Float32Array>, question: Float32Array, limit: number): number[] =>
  [...pages]
    .toSorted(([, one], [, other]) => cosine(other, question) - cosine(one, question))
    .slice(0, limit)
    .map(([page]) => page);

test(
  "finds what comparing every page finds, of one workspace, before and after writes",
  { timeout: 60_000 },
  async () => {
    const [workspaceId, other] = [newWorkspaceId(), newWorkspaceId()];
    const pages = new Map(Array.from({ length: 300 }, (_, at) => [at + 1, vector()]));
    await put(workspaceId, pages);
    await put(other, new Map([[999, vector()]]));
    const first = createFirstVectors({ lastingMs: 0 });
    const compare = async (): Promise<void> => {
      for (let question = 0; question < 5; question++) {
        const asked = vector();
        const found = await untilAnswered(first, workspaceId, asked, 20);
        const near = nearestOf(pages, asked, 25);
        expect(found?.filter((page) => near.includes(page))).toHaveLength(20);
        expect(found?.[0]).toBe(near[0]);
      }
    };
    await compare();
    expect(await untilAnswered(first, other, vector(), 20)).toEqual([999]);
    const question = vector();
    for (const [page, near] of [
      [7, question],
      [301, question.map((value, at) => value + at / 1_000)],
    ] as const) {
      pages.set(page, near);
      await put(workspaceId, new Map([[page, near]]));
      // What is not of this version does not answer.
      expect(await ask(first, workspaceId, question, 1)).toBeUndefined();
    }
    expect(await untilAnswered(first, workspaceId, question, 2)).toEqual([7, 301]);
    await compare();
  },
);

test("what writes, removals and maintenance change is in memory at once", { timeout: 60_000 }, async () => {
  const [workspaceId, other] = [newWorkspaceId(), newWorkspaceId()];
  const pages = new Map(Array.from({ length: 100 }, (_, at) => [at + 1, vector()]));
  await put(workspaceId, pages);
  await put(other, new Map([[999, vector()]]));
  const table = (await tables.find(space)) ?? expect.unreachable();
  const first = createFirstVectors({}, createTableChanges(url));
  const rowsNow = () => first.of(table, { workspaceId, dimensions });
  await expect.poll(rowsNow).toBeDefined();
  const seen = new Set<unknown>();
  for (let round = 0; round < 40; round++) {
    const from = 1 + Math.floor(random() * 150);
    const some = Array.from({ length: 1 + Math.floor(random() * 20) }, (_, at) => from + at);
    const act = round % 4;
    if (act === 0) {
      const replaced = new Map(some.map((page) => [page, vector()]));
      for (const [page, near] of replaced) pages.set(page, near);
      await put(workspaceId, replaced);
    } else if (act === 1) {
      await table.delete(`workspaceId = '${workspaceId}' AND page IN (${some.join(",")})`);
      for (const page of some) pages.delete(page);
    } else if (act === 2) await put(other, new Map(some.map((page) => [page, vector()])));
    else await table.optimize({ cleanupOlderThan: new Date(0) });
    const rows = (await rowsNow()) ?? expect.unreachable("asks the table");
    seen.add(rows);
    expect(rows.count).toBe(pages.size);
    expect(rows.countOf(() => true)).toBe(pages.size);
    const asked = vector();
    const found = rows
      .nearestTo(asked)(pages.size + 10)
      .map((place) => rows.pageAt(place).page);
    expect(found).toHaveLength(pages.size);
    expect(new Set(found)).toEqual(new Set(pages.keys()));
    expect(nearestOf(pages, asked, 25)).toEqual(expect.arrayContaining(found.slice(0, 20)));
    const known = await table.query().where(`workspaceId = '${workspaceId}'`).withRowId().select(["page"]).toArrow();
    const [numbers, addresses] = [known.getChild("page"), known.getChild("_rowid")];
    for (let at = 0; at < known.numRows; at++) {
      const page = { datasetId: datasets.get(workspaceId) ?? newDatasetId(), generation: "", page: numbers?.get(at) };
      expect(rows.addressAt(rows.placeOf(page) ?? -1)).toBe(addresses?.get(at));
    }
  }
  // Most changes are written to the same rows; now and then there is no room for more.
  expect(seen.size).toBeGreaterThan(1);
  expect(seen.size).toBeLessThan(15);
});

test("holds no more than its bound, and the workspaces that are asked", { timeout: 60_000 }, async () => {
  const workspaces = [newWorkspaceId(), newWorkspaceId()] as const;
  for (const workspaceId of workspaces) {
    await put(workspaceId, new Map(Array.from({ length: 50 }, (_, at) => [at + 1, vector()])));
  }
  const [one, two] = workspaces;
  const first = createFirstVectors({ lastingMs: 0, maxBytes: 80 * dimensions, inUseMs: 0 });
  const asked = vector();
  expect(await untilAnswered(first, one, asked, 1)).toHaveLength(1);
  expect(await untilAnswered(first, two, asked, 1)).toHaveLength(1);
  expect(await ask(first, one, asked, 1)).toBeUndefined();
  const small = createFirstVectors({ lastingMs: 0, maxBytes: 40 * dimensions });
  for (let time = 0; time < 5; time++) {
    expect(await ask(small, one, asked, 1)).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});
