import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { documentKey } from "../../domain/ports/pack-ranking.ts";
import { documentRows, type PageHit } from "../../domain/ports/vectors.ts";
import { type NameReader, readNames } from "./names.ts";

const [workspaceId, datasetId] = [newWorkspaceId(), newDatasetId()];
const hit = (page: number): PageHit => ({ datasetId, page, generation: "g", score: 7 });
const name = hit(documentRows.name);
const documents = { evidence: new Map(), best: [], named: [name] };
const space = { kind: "lexical", pack: "p@1", name: "words" } as const;
const reader: NameReader = {
  pack: {
    reads: { words: space, documents: { ...space, name: "words:documents", unit: "document" } },
  },
  vectors: { termsOf: async () => ["otter manual"] },
  embed: async (text) => [{ space: "words", kind: "lexical", text }],
};
const pages = (count: number): PageHit[] => Array.from({ length: count }, (_, at) => hit(at + 1));
const question = { text: "otter nets", workspaceId };

const namedKeys = new Set([documentKey(name)]);

test("a question that names a document of many pages is embedded without the name", async () => {
  const { targets, rest } = await readNames(reader, documents, { ...question, found: pages(10) });
  expect(rest).toEqual([{ space: "words", kind: "lexical", text: "  nets" }]);
  expect(targets).toEqual(namedKeys);
});

test("the pages of reports that are named together are counted together", async () => {
  const others = [newDatasetId(), newDatasetId()].map((id) => ({ ...name, datasetId: id }));
  const named = [name, ...others];
  const found = named.flatMap((row) => [1, 2, 11, 12].map((page) => ({ ...row, page })));
  const { targets, rest } = await readNames(reader, { ...documents, named }, { ...question, found });
  expect(targets).toEqual(new Set(named.map(documentKey)));
  expect(rest).toBeDefined();
  const few = found.filter(({ page }) => page !== 12 && page !== 2);
  expect((await readNames(reader, { ...documents, named }, { ...question, found: few })).rest).toBeUndefined();
});

test("a question is unchanged if few pages of the document are found, or the document has few pages", async () => {
  const stays = { targets: new Set(), rest: undefined };
  expect(await readNames(reader, documents, { ...question, found: pages(9) })).toEqual(stays);
  const short = Array.from({ length: 12 }, (_, at) => hit(1 + (at % 3)));
  expect(await readNames(reader, documents, { ...question, found: short })).toEqual(stays);
  const others = pages(10).map((page) => ({ ...page, datasetId: newDatasetId() }));
  expect(await readNames(reader, documents, { ...question, found: others })).toEqual(stays);
  expect(await readNames(reader, { ...documents, named: [] }, { ...question, found: pages(10) })).toEqual(stays);
});

test("the question asks for the document even if no word is removed, or no text can be embedded", async () => {
  const stays = { targets: namedKeys, rest: undefined };
  expect(await readNames(reader, documents, { ...question, text: "nets", found: pages(10) })).toEqual(stays);
  const { pack, vectors } = reader;
  expect(await readNames({ pack, vectors }, documents, { ...question, found: pages(10) })).toEqual(stays);
});
