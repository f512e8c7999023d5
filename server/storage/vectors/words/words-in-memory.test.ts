import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../../bench/measuring/random.ts";
import { bm25 } from "../../../../test/stores/testing/bm25.ts";
import { type DatasetId, newDatasetId, newWorkspaceId, type WorkspaceId } from "../../../domain/ids.ts";
import { createTableChanges } from "../changes/table-changes.ts";
import { datasetFilter, parseRowId } from "../filters.ts";
import { findInTexts } from "../find-in-texts.ts";
import { putLexical } from "../put.ts";
import { elsewhere, openTables, type Tables } from "../tables.ts";
import type { FoundRows } from "./found-rows.ts";
import { readWords, type ReadWords } from "./read-words.ts";
import type { TableWords } from "./table-words.ts";
import { createWordsInMemory } from "./words-in-memory.ts";

let url: string;
let tables: Tables;
let spaces = 0;
const space = () => ({ kind: "lexical", pack: "p@1", name: `words${++spaces}` }) as const;
const random = createRandom(11);
/** Few words are frequent and most are rare, as in language; none of them has an English ending. */
const consonant = (power: number): string => "bdfgkmpvxz".charAt(Math.floor(10 * random() ** power));
const word = (): string => `${consonant(3)}${consonant(2)}q${consonant(1)}`;
const words = (most: number): string => Array.from({ length: 1 + Math.floor(random() * most) }, word).join(" ");

beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-words-"));
  tables = await openTables(url, elsewhere);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

/** The pages of a table as they should be, by dataset and page. */
interface Held {
  readonly table: Table;
  readonly pages: Map<
    string,
    { readonly workspaceId: WorkspaceId; readonly datasetId: DatasetId; readonly words: string }
  >;
  put(workspaceId: WorkspaceId, datasetId: DatasetId, texts: readonly string[]): Promise<void>;
  remove(datasetId: DatasetId): Promise<void>;
}

async function hold(): Promise<Held> {
  const own = space();
  const pages: Held["pages"] = new Map();
  const put: Held["put"] = async (workspaceId, datasetId, texts) => {
    await putLexical(
      tables,
      own,
      texts.map((text, page) => ({ workspaceId, datasetId, page, generation: "", words: text })),
    );
    for (const [page, text] of texts.entries())
      pages.set(`${datasetId}/${page}`, { workspaceId, datasetId, words: text });
  };
  await put(newWorkspaceId(), newDatasetId(), ["quartz"]);
  const table = await tables.find(own);
  if (table === undefined) throw new Error("no table");
  return {
    table,
    pages,
    put,
    async remove(datasetId) {
      await table.delete(datasetFilter(datasetId));
      for (const [key, page] of pages) if (page.datasetId === datasetId) pages.delete(key);
    },
  };
}

/** A table of 200 long pages. */
async function holdMany(): Promise<Held> {
  const held = await hold();
  const texts = Array.from({ length: 200 }, () => words(200));
  await held.put(newWorkspaceId(), newDatasetId(), texts);
  return held;
}

const makeRoom = (): void => undefined;

async function read(table: Table, before?: ReadWords): Promise<ReadWords> {
  const found = await readWords(table, { before, keepsTexts: true, makeRoom });
  if (found === undefined) throw new Error("the table changed while it was read");
  return found;
}

/** By page, what the words find in a workspace. */
function found(inMemory: TableWords, asked: string, workspaceId: WorkspaceId): Map<string, number> {
  const rows = inMemory.find([{ terms: asked.split(" "), weight: 1 }], workspaceId);
  return new Map(Array.from(rows.scores, (score, at) => [`${rows.page(at).datasetId}/${rows.page(at).page}`, score]));
}

function expectExact(held: Held, inMemory: TableWords): void {
  const texts = [...held.pages.values()].map((page) => page.words);
  const workspaces = new Set([...held.pages.values()].map(({ workspaceId }) => workspaceId));
  for (let round = 0; round < 4; round++) {
    const asked = [...new Set(words(6).split(" "))].join(" ");
    const scores = bm25(texts, asked.split(" "));
    for (const workspaceId of workspaces) {
      const expected = [...held.pages].flatMap(([key, page], at) =>
        page.workspaceId === workspaceId && (scores[at] ?? 0) > 0 ? [[key, scores[at] ?? 0] as const] : [],
      );
      const actual = found(inMemory, asked, workspaceId);
      expect(new Set(actual.keys())).toEqual(new Set(expected.map(([key]) => key)));
      for (const [key, score] of expected) expect(actual.get(key)).toBeCloseTo(score, 4);
    }
  }
}

/** On all pages of each workspace. */
function expectTerms({ pages }: Held, inMemory: TableWords): void {
  const asked = words(8).split(" ");
  for (const workspaceId of new Set([...pages.values()].map((page) => page.workspaceId))) {
    const keys = Array.from(pages, ([key, page]) => ({ ...page, generation: "", page: Number(key.split("/")[1]) }));
    const own = keys.map((page) => (page.workspaceId === workspaceId ? page.words : undefined));
    expect(inMemory.findTerms(asked, keys, workspaceId)).toEqual(findInTexts(asked, own));
  }
}

/** Of each row that there has been, in the workspace that it is of. */
async function expectAddresses({ table, pages }: Held, inMemory: TableWords, ever: Set<string>): Promise<void> {
  const rows = await table.query().withRowId().select(["id"]).toArrow();
  const [ids, addresses] = [rows.getChild("id"), rows.getChild("_rowid")];
  const actual = new Map(Array.from({ length: rows.numRows }, (_, at) => [ids?.get(at), addresses?.get(at)]));
  for (const id of actual.keys()) ever.add(id);
  const workspaceOf = new Map(pages.values().map(({ datasetId, workspaceId }) => [datasetId, workspaceId]));
  const stranger = newWorkspaceId();
  for (const id of ever) {
    const page = parseRowId(id) ?? expect.unreachable();
    const address = inMemory.addressOf(page, workspaceOf.get(page.datasetId) ?? stranger);
    expect({ id, address }).toEqual({ id, address: actual.get(id) });
    expect(inMemory.addressOf(page, stranger)).toBeUndefined();
  }
}

test("what writes, removals and maintenance change is in memory at once, but where a look at the rows is needed", async () => {
  const held = await hold();
  const datasets = Array.from({ length: 5 }, newDatasetId);
  const workspaces = [newWorkspaceId(), newWorkspaceId()] as const;
  await held.put(
    workspaces[0],
    newDatasetId(),
    Array.from({ length: 60 }, () => words(20)),
  );
  const inMemory = createWordsInMemory({}, createTableChanges(url));
  const ask = () => inMemory.of(held.table, { unit: "page" });
  await expect.poll(ask).toBeDefined();
  const ever = new Set<string>();
  let unknown = 0;
  for (let round = 0; round < 40; round++) {
    const at = Math.floor(random() * datasets.length);
    const datasetId = datasets[at] ?? expect.unreachable();
    const act = random();
    if (act < 0.2) await held.remove(datasetId);
    else if (act < 0.4) await held.table.optimize({ cleanupOlderThan: new Date(0) });
    else if (act < 0.5) {
      // Maintenance comes before the next question.
      await held.remove(datasetId);
      await held.table.optimize({ cleanupOlderThan: new Date(0) });
    } else {
      const texts = Array.from({ length: 1 + Math.floor(random() * 50) }, () => words(30));
      await held.put(workspaces[at % 2] ?? expect.unreachable(), datasetId, texts);
    }
    const now = await ask();
    if (now === undefined) unknown += 1;
    await expect.poll(ask).toBeDefined();
    const known = (await ask()) ?? expect.unreachable();
    expectExact(held, known);
    expectTerms(held, known);
    await expectAddresses(held, known, ever);
  }
  expect(unknown).toBeLessThan(8);
});

test("scores are those of BM25, after each of many writes, replacements and removals, in every workspace", async () => {
  const held = await hold();
  const workspaces = [newWorkspaceId(), newWorkspaceId()];
  const datasets = Array.from({ length: 6 }, newDatasetId);
  let last = await read(held.table);
  const ever = new Set<string>();
  for (let round = 0; round < 14; round++) {
    const at = Math.floor(random() * datasets.length);
    const [datasetId, workspaceId] = [datasets[at], workspaces[at % 2]];
    if (datasetId === undefined || workspaceId === undefined) throw new RangeError();
    if (random() < 0.25) await held.remove(datasetId);
    else
      await held.put(
        workspaceId,
        datasetId,
        Array.from({ length: 1 + Math.floor(random() * 60) }, () => words(80)),
      );
    last = await read(held.table, last);
    expectExact(held, last.words);
    expect(last.words.version).toBe(await held.table.version());
    await expectAddresses(held, last.words, ever);
    expectTerms(held, last.words);
  }
  // Many small changes leave few segments.
  expect(last.words.segments.length).toBeLessThan(8);
  expectExact(held, (await read(held.table)).words);
});

test("rows that were found stay as they are while others are looked for, also those of some datasets", async () => {
  const held = await hold();
  const [workspaceId, one, other] = [newWorkspaceId(), newDatasetId(), newDatasetId()];
  await held.put(workspaceId, one, ["otter", "badger", "otter badger"]);
  await held.put(workspaceId, other, ["badger", "otter otter"]);
  const inMemory = (await read(held.table)).words;
  const find = (term: string) => inMemory.find([{ terms: [term], weight: 1 }], workspaceId);
  const pages = (rows: FoundRows): string[] =>
    Array.from(rows.scores, (score, at) => `${rows.page(at).datasetId} ${rows.page(at).page} ${score}`).toSorted();
  const otters = find("otter");
  const before = pages(otters);
  expect(before).toHaveLength(3);
  const ofOther = otters.of((id) => id === other);
  const badgers = find("badger");
  expect(pages(otters)).toEqual(before);
  expect(pages(ofOther)).toEqual(before.filter((page) => page.startsWith(other)));
  expect(pages(badgers.of(() => false))).toEqual([]);
  expect(pages(badgers)).toHaveLength(3);
});

test("a table that has not changed keeps what was read of it", async () => {
  const held = await hold();
  await held.put(newWorkspaceId(), newDatasetId(), ["one two", "two three"]);
  const first = await read(held.table);
  const again = await read(held.table, first);
  expect(again.words.segments.map(({ segment }) => segment)).toEqual(
    first.words.segments.map(({ segment }) => segment),
  );
  expect(again.numbers).toBe(first.numbers);
});

test("a word is there as long as a page of the workspace has it", async () => {
  const held = await hold();
  const [mine, other, datasetId] = [newWorkspaceId(), newWorkspaceId(), newDatasetId()];
  await held.put(mine, datasetId, ["otters swim", "rivers"]);
  await held.put(other, newDatasetId(), ["rivers of stone"]);
  const before = await read(held.table);
  expect(
    ["otter", "swimming", "river", "stone", "the", "basalt"].map((asked) => before.words.has(asked, mine)),
  ).toEqual([true, true, true, false, false, false]);
  await held.remove(datasetId);
  const after = await read(held.table, before);
  expect([after.words.has("otter", mine), after.words.has("river", mine), after.words.has("river", other)]).toEqual([
    false,
    false,
    true,
  ]);
});

test("a table that is asked again answers from memory, for the version that was read, and soon for the next one", async () => {
  const held = await hold();
  const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
  await held.put(workspaceId, datasetId, ["otter"]);
  const inMemory = createWordsInMemory({ lastingMs: 0 });
  expect(await inMemory.of(held.table, {})).toBeUndefined();
  await expect.poll(() => inMemory.of(held.table, {})).toBeDefined();
  expect((await inMemory.of(held.table, {}))?.has("otter", workspaceId)).toBe(true);
  await held.put(workspaceId, datasetId, ["badger"]);
  expect(await inMemory.of(held.table, {})).toBeUndefined();
  await expect.poll(() => inMemory.of(held.table, {}), { timeout: 20_000 }).toBeDefined();
  expect((await inMemory.of(held.table, {}))?.has("badger", workspaceId)).toBe(true);
});

test("the words of the table that was used longest ago make room for others", async () => {
  const [one, other] = [await holdMany(), await holdMany()];
  const { bytes } = (await read(one.table)).words;
  const inMemory = createWordsInMemory({ lastingMs: 0, maxBytes: 1.5 * bytes, inUseMs: 0 });
  await expect.poll(() => inMemory.of(one.table, {})).toBeDefined();
  await expect.poll(() => inMemory.of(other.table, {})).toBeDefined();
  expect(await inMemory.of(one.table, {})).toBeUndefined();
});

test("words that are in use stay where others do not fit beside them", async () => {
  const [one, other] = [await holdMany(), await holdMany()];
  const { bytes } = (await read(one.table)).words;
  const inMemory = createWordsInMemory({ lastingMs: 0, maxBytes: 1.5 * bytes });
  await expect.poll(() => inMemory.of(one.table, {})).toBeDefined();
  for (let time = 0; time < 10; time++) {
    expect(await inMemory.of(other.table, {})).toBeUndefined();
    expect(await inMemory.of(one.table, {})).toBeDefined();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

test("more words than there is room for are not read", async () => {
  const held = await holdMany();
  const inMemory = createWordsInMemory({ lastingMs: 0, maxBytes: 10_000 });
  for (let time = 0; time < 10; time++) {
    expect(await inMemory.of(held.table, {})).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
});
