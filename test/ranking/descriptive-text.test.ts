import { afterEach, beforeEach, expect, test } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { type LanceFolder, openLanceFolder } from "../stores/testing/lance-folder.ts";
import { makeDataset } from "../stores/testing/records.ts";
import { newDatasetId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { VectorStore } from "../../server/domain/ports/vector-store.ts";
import { documentRows } from "../../server/domain/ports/vectors.ts";
import {
  updateDescriptiveWords,
  descriptiveWords,
  wordsOfName,
} from "../../server/domain/documents/descriptive-text.ts";

const words = { kind: "lexical", pack: "p@1", name: "words" } as const;
const documents = { kind: "lexical", pack: "p@1", name: "words:documents", unit: "document" } as const;
const pack = { id: "p@1", spaces: [words], reads: { words, documents } };
const [workspaceId, id] = [newWorkspaceId(), newDatasetId()];

let folder: LanceFolder;
let vectors: VectorStore;
beforeEach(async () => {
  folder = await openLanceFolder();
  vectors = await folder.open();
});
afterEach(() => folder.dispose());

/** The dataset is gone, or it is what it has become by now. */
const domain = (now?: Dataset) => ({
  vectors,
  clock: Date.now,
  metadata: {
    datasets: { getUnscoped: async () => now },
    indices: { generations: async () => [{ datasetId: id, pack: "p@1", generation: "a" }] },
  },
  packs: { find: async () => pack },
});
const found = async (text: string) =>
  (await vectors.searchLexical(documents, text, { workspaceId, datasetIds: undefined, limit: 10 })).map(
    ({ page, generation }) => ({ page, generation }),
  );
const said = { title: null, author: null, metadata: {} };
const row = { datasetId: id, workspaceId, generation: "a" };

test("a document is found by its new name and no more by the old one", async () => {
  await vectors.putDocuments(pack, [
    { ...row, page: documentRows.name, words: "octave" },
    { ...row, page: documentRows.opening, words: "numerical computations" },
  ]);
  await updateDescriptiveWords(domain(), { id, workspaceId, ...said, fileName: "pump_manual-2024.pdf" });
  expect(await found("octave")).toEqual([]);
  expect(await found("pump manual")).toEqual([{ page: documentRows.name, generation: "a" }]);
  expect(await found("computations")).toEqual([{ page: documentRows.opening, generation: "a" }]);
});

test("of two changes at the same time the later one stays, whichever is written last", async () => {
  await vectors.putDocuments(pack, [{ ...row, page: documentRows.name, words: "octave" }]);
  const now = makeDataset(workspaceId, { id, fileName: "valve.pdf" });
  await updateDescriptiveWords(domain(now), now);
  await updateDescriptiveWords(domain(now), { id, workspaceId, ...said, fileName: "pump.pdf" });
  expect(await found("pump")).toEqual([]);
  expect(await found("valve")).toEqual([{ page: documentRows.name, generation: "a" }]);
});

test("a document that has not been described gets no name before its other rows", async () => {
  await vectors.putDocuments(pack, [{ ...row, page: documentRows.opening, words: "numerical computations" }]);
  await updateDescriptiveWords(domain(), { id, workspaceId, ...said, fileName: "pump.pdf" });
  expect(await found("pump")).toEqual([]);
});

test("names are split where people write signs for spaces", () => {
  expect(wordsOfName("Annual_Report-2024.v2.PDF")).toBe("Annual Report 2024 v2");
});

test("words of title, author and metadata count beside those of the name, each once", () => {
  const metadata = { customer: "Otter Foods", year: 2023, final: true, tags: ["harbour", "Annual"] };
  expect(
    descriptiveWords({ fileName: "annual_2023.pdf", title: "Annual report_final", author: "J. Doe", metadata }),
  ).toBe("Annual 2023 report final J. Doe Otter Foods harbour");
});

test("long metadata leaves the name its weight", () => {
  const metadata = { notes: "harbour 😀".repeat(100), more: "lighthouse" };
  const words = descriptiveWords({ ...said, fileName: "annual.pdf", metadata });
  expect(words.length).toBeLessThan(600);
  expect(words).not.toContain("lighthouse");
  expect(words.isWellFormed()).toBe(true);
});
