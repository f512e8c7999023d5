import { afterAll, beforeAll, expect, test } from "vitest";
import { type LanceTables, openLanceTables } from "../../../../test/stores/testing/lance-table.ts";
import { newDatasetId, newWorkspaceId } from "../../../domain/ids.ts";
import { pageId } from "../filters.ts";
import { loadLance } from "../lance.ts";
import { locate, readColumn } from "../rows/read-column.ts";
import { createTermsInMemory } from "../rows/read-terms.ts";
import { createVocabulary, type KnownWords } from "./vocabulary.ts";

const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
let lance: LanceTables;
beforeAll(async () => {
  lance = await openLanceTables({ id: "p@1", spaces: [space] });
});
afterAll(() => lance.dispose());

test("whole words of pages that are in memory are known without a look-up in the index", async () => {
  const page = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "", page: 1 };
  const table = await lance.make();
  const said = "Pumping stations beside the river";
  await lance.put(table, page, [{ page: 1, spaces: [{ space: "words", kind: "lexical", words: said }] }]);
  const known: KnownWords = new WeakMap();
  const terms = { pages: createTermsInMemory(), documents: createTermsInMemory() };
  const words = ["pumping", "station", "STATIONS"];
  const vocabulary = createVocabulary(await loadLance(), { table, space, memory: { known, terms } });
  const noted = () => words.filter((word) => known.get(table)?.get(`words ${word}`) === "there");

  await vocabulary.note(words, [page]);
  expect(noted()).toEqual([]);
  const column = { table, rows: await terms.pages.of(table), name: "words", idOf: pageId, copy: String };
  await readColumn(column, await locate(column, [page]));
  await vocabulary.note(words, [page]);
  expect(noted()).toEqual(["pumping", "STATIONS"]);
  // The index also finds other forms, and agrees on the noted words.
  known.get(table)?.clear();
  expect(await Promise.all([...words, "walrus"].map(vocabulary.has))).toEqual([true, true, true, false]);
});
