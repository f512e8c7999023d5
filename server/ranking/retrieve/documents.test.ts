import { expect, test } from "vitest";
import { newDatasetId, newWorkspaceId } from "../../domain/ids.ts";
import { documentKey } from "../../domain/ports/pack-ranking.ts";
import { documentRows, type PageHit, type SearchScope } from "../../domain/ports/vectors.ts";
import { findDocuments } from "./documents.ts";

const space = { kind: "lexical", pack: "p@1", name: "words:documents", unit: "document" } as const;
const scope = { workspaceId: newWorkspaceId(), datasetIds: undefined, limit: 10 };
const rowsOf = (hits: readonly PageHit[]) => ({ searchLexical: async () => hits });
const row = (datasetId: PageHit["datasetId"], part: keyof typeof documentRows, score: number): PageHit => ({
  datasetId,
  page: documentRows[part],
  generation: "",
  score,
});

test("the rows of a document become its evidence", async () => {
  const [one, other] = [newDatasetId(), newDatasetId()];
  const hits = [row(one, "name", 7), row(other, "whole", 5), row(one, "opening", 3)];
  const { evidence, best } = await findDocuments(rowsOf(hits), space, "x", scope);
  expect(evidence.get(documentKey({ datasetId: one, generation: "" }))).toEqual({ name: 7, opening: 3, whole: 0 });
  expect(evidence.get(documentKey({ datasetId: other, generation: "" }))).toEqual({ name: 0, opening: 0, whole: 5 });
  expect(best).toEqual([]);
});

test("a question names a document by words that few names have", async () => {
  const [one, other] = [newDatasetId(), newDatasetId()];
  const hits = [row(one, "name", 7), row(other, "whole", 9), row(other, "name", 2)];
  const { named } = await findDocuments(rowsOf(hits), space, "x", scope);
  expect(named).toEqual([row(one, "name", 7)]);
});

test("of more than ten documents, the best are returned, best first", async () => {
  const ids = Array.from({ length: 12 }, () => newDatasetId());
  const hits = ids.map((id, place) => row(id, "name", place + 10));
  const { best } = await findDocuments(rowsOf(hits), space, "x", scope);
  expect(best).toEqual(ids.toReversed().slice(0, 10));
});

test("pages are not searched in documents that match less than half as well as the best one", async () => {
  const ids = Array.from({ length: 12 }, () => newDatasetId());
  const hits = ids.map((id, place) => row(id, "name", place < 2 ? 9 - place : 4));
  const { best } = await findDocuments(rowsOf(hits), space, "x", scope);
  expect(best).toEqual(ids.slice(0, 2));
});

test("if one document is searched, only its name counts, weighted among the names of all documents", async () => {
  const [id, other] = [newDatasetId(), newDatasetId()];
  const asked: unknown[] = [];
  const rows = {
    searchLexical: async (_space: unknown, _text: string, { datasetIds }: SearchScope) => {
      asked.push(datasetIds);
      return [row(other, "name", 8), row(id, "name", 7), row(id, "whole", 5)];
    },
  };
  const { evidence, best, named } = await findDocuments(rows, space, "x", { ...scope, datasetIds: [id] });
  expect([evidence.size, best, named]).toEqual([0, [], [row(id, "name", 7)]]);
  expect(asked).toEqual([undefined]);
});
