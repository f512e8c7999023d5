import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { loadLance } from "./lance.ts";
import { putLexical } from "./put.ts";
import { locate, readColumn } from "./read-column.ts";
import { createTermsInMemory } from "./read-terms.ts";
import { elsewhere, openTables, type Tables } from "./tables.ts";
import { createVocabulary, type KnownWords } from "./vocabulary.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
let url: string;
let tables: Tables;

beforeAll(async () => {
  url = await mkdtemp(join(tmpdir(), "drs-words-"));
  tables = await openTables(url, elsewhere);
});
afterAll(async () => {
  tables.close();
  await rm(url, { recursive: true });
});

test("whole words of pages that are in memory are known without a look into the index", async () => {
  const workspaceId = newWorkspaceId();
  const page = { workspaceId, datasetId: newDatasetId(), generation: "", page: 1 };
  await putLexical(tables, space, [{ ...page, words: "Pumping stations beside the river" }]);
  const table = await tables.find(space);
  if (table === undefined) throw new Error("no table");
  const known: KnownWords = new Map();
  const inMemory = createTermsInMemory();
  const words = ["pumping", "station", "STATIONS"];
  const vocabulary = createVocabulary(await loadLance(), { table, space, known, inMemory, workspaceId });
  const noted = () =>
    words.filter((word) => [...known].some(([key, is]) => key.endsWith(` ${word}`) && is === "there"));

  await vocabulary.note(words, [page]);
  expect(noted()).toEqual([]);
  const column = { table, workspaceId, rows: await inMemory.of(table), name: "terms", copy: String };
  await readColumn(column, await locate(column, [page]));
  await vocabulary.note(words, [page]);
  expect(noted()).toEqual(["pumping", "STATIONS"]);
  // The index finds other forms as well, and says of those that are noted the same.
  known.clear();
  expect(await Promise.all([...words, "walrus"].map(vocabulary.has))).toEqual([true, true, true, false]);
});
