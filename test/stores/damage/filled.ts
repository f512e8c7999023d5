import { newDatasetId, newWorkspaceId } from "../../../server/domain/ids.ts";
import type { VectorStore } from "../../../server/domain/ports/vector-store.ts";
import type { PageHit } from "../../../server/domain/ports/vectors.ts";
import type { ComputedPage } from "../../../server/domain/ports/features.ts";
import { featureCodec } from "../../../server/storage/features/codec.ts";
import { createLibrary } from "../testing/library.ts";
import { denseSpaces, documents, putDocument, whole, words } from "../testing/whole-pack.ts";
import { readTerms } from "../testing/read-terms.ts";

const pageCount = 2_200;
const library = createLibrary({ dimensions: 16, pages: pageCount, vectorsPerPage: 2 });
const index = { workspaceId: newWorkspaceId(), datasetId: newDatasetId(), generation: "a1" };
const removed = { ...index, datasetId: newDatasetId() };
const queries = Array.from({ length: 2 }, () => library.query(1));

/** The table. */
export const table = { workspaceId: index.workspaceId, pack: whole.id };

/** One word per page that no stemmer changes. */
const wordOf = (page: number): string =>
  `chapter${Array.from(String(page), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;

const pages = library.pages.map(({ vectors, pooled }, at): ComputedPage => {
  const said = `${wordOf(at + 1)} harbour ${"lantern ".repeat(at % 7)}`;
  const inDense = denseSpaces.map(({ name }) => ({ space: name, kind: "dense", vectors, pooled }) as const);
  return { page: at + 1, spaces: [...inDense, { space: words.name, kind: "lexical", words: said }] };
});

const put = (store: VectorStore, of: typeof index, from: number, to?: number): Promise<string> =>
  store.put(whole, featureCodec.make(whole.spaces, pages.slice(from, to), of), of);

/** Puts all pages; gives the name of the table. */
export async function putAll(store: VectorStore): Promise<string> {
  await putDocument(store, index, { 0: "the keeper of the lighthouse", 2: "harbour lantern" });
  return put(store, index, 0);
}

/** Several versions and fragments, indices of all kinds, removed rows. */
export async function fill(store: VectorStore): Promise<void> {
  await put(store, index, 0, 2_100);
  await put(store, removed, 0, 300);
  await store.maintain();
  await store.remove({ ...table, datasetId: removed.datasetId });
  await put(store, index, 2_100, 2_150);
  // Some pages once more, which are removed from their fragment for it.
  await put(store, index, 100, 120);
  await put(store, index, 2_150);
  await putDocument(store, index, { 0: "the keeper of the lighthouse", 2: "harbour lantern" });
}

/** The results of each kind of search; empty if it finds nothing. */
export async function ask(store: VectorStore): Promise<readonly string[]> {
  const { workspaceId, datasetId, generation } = index;
  // Enough candidates, so that the partitions of indices make no difference.
  const scope = { workspaceId, datasetIds: undefined, limit: 2_000 };
  const named = (hits: readonly PageHit[]): string[] =>
    hits.slice(0, 10).map(({ page, score }) => `${page} ${score.toFixed(2)}`);
  const some = [7, 110, 2_190].map((page) => ({ datasetId, page, generation }));
  const answers: (readonly string[])[] = [];
  for (const query of queries) {
    for (const space of denseSpaces) {
      answers.push(named(await store.searchDense(space, query, scope)).toSorted());
      answers.push(named(await store.scorePages(space, query, some, workspaceId)).toSorted());
    }
  }
  for (const page of [3, 110, 1_000, 2_120, 2_199]) {
    const hits = await store.searchLexical(words, wordOf(page), scope);
    answers.push(hits.map((hit) => String(hit.page)));
    for (const space of denseSpaces) {
      const vectors = await store.vectorsOf(space, { datasetId, page, generation }, workspaceId);
      answers.push(vectors.map(String));
    }
  }
  const found = await store.searchLexical(documents, "lighthouse lantern", scope);
  answers.push(found.map(({ page }) => String(page)).toSorted());
  answers.push([...(await readTerms(store, words, { pages: some, workspaceId })).values()]);
  return answers.flat();
}
