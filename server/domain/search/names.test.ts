import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../ids.ts";
import { documentRows, type PageHit, rowKey } from "../ports/vectors.ts";
import { type NameReader, withoutNames } from "./names.ts";

const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
const hit = (page: number): PageHit => ({ datasetId, page, generation: "g", score: 7 });
const name = hit(documentRows.name);
const documents = { evidence: new Map(), best: [], named: [name] };
const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const reader: NameReader = {
  pack: {
    reads: { words: space, documents: { ...space, name: "words:documents", unit: "document" } },
    leaveOut: (text, terms) => terms.reduce((rest, term) => rest.replace(term, ""), text),
  },
  vectors: { readTerms: async () => ({ question: [], pages: new Map([[rowKey(name), "otter manual"]]) }) },
  embed: async (text) => [{ space: "words", kind: "lexical", text }],
};
const pages = (count: number): PageHit[] => Array.from({ length: count }, (_, at) => hit(at + 1));
const question = { text: "otter nets", workspaceId };

test("a question that names a document of many pages is embedded without the name", async () => {
  const rest = await withoutNames(reader, documents, { ...question, found: pages(10) });
  expect(rest).toEqual([{ space: "words", kind: "lexical", text: " nets" }]);
});

test("it stays as it is where few pages have that name, or none", async () => {
  expect(await withoutNames(reader, documents, { ...question, found: pages(9) })).toBeUndefined();
  const others = pages(10).map((page) => ({ ...page, datasetId: newDatasetId() }));
  expect(await withoutNames(reader, documents, { ...question, found: others })).toBeUndefined();
  expect(await withoutNames(reader, { ...documents, named: [] }, { ...question, found: pages(10) })).toBeUndefined();
});

test("it stays as it is where nothing would be left out, or nothing embeds", async () => {
  expect(await withoutNames(reader, documents, { ...question, text: "nets", found: pages(10) })).toBeUndefined();
  const { pack, vectors } = reader;
  expect(await withoutNames({ pack, vectors }, documents, { ...question, found: pages(10) })).toBeUndefined();
});
