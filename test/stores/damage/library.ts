import { newDatasetId, newWorkspaceId } from "../../../server/domain/ids.ts";
import type {
  DenseRow,
  DenseSpace,
  LexicalRow,
  LexicalSpace,
  VectorStore,
} from "../../../server/domain/ports/vectors.ts";
import { createLibrary } from "../testing/library.ts";

export const dense: DenseSpace = { kind: "dense", pack: "p@1", name: "text", dimensions: 16, firstPass: "first" };
export const lexical: LexicalSpace = { kind: "lexical", pack: "p@1", name: "words" };

const pageCount = 2_200;
const library = createLibrary({ dimensions: 16, pages: pageCount, vectorsPerPage: 2 });
const workspaceId = newWorkspaceId();
/** The dataset that stays, and one that has been removed again. */
export const [kept, removed] = [newDatasetId(), newDatasetId()];
const queries = Array.from({ length: 4 }, () => library.query(1));

/** One word per page that no stemmer changes. */
const wordOf = (page: number): string =>
  `chapter${Array.from(String(page), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;

const pages = library.pages.map((page, at) => ({
  ...page,
  row: { workspaceId, datasetId: kept, page: at + 1, generation: "a1" },
}));
const denseRows = pages.map(({ row, vectors, pooled }): DenseRow => ({ ...row, vectors, pooled }));
const lexicalRows = pages.map(({ row }): LexicalRow => ({
  ...row,
  words: `${wordOf(row.page)} harbour ${"lantern ".repeat(row.page % 7)}`,
}));

async function put(store: VectorStore, from: number, to?: number): Promise<void> {
  await store.putDense(dense, denseRows.slice(from, to));
  await store.putLexical(lexical, lexicalRows.slice(from, to));
}

/** Several versions and fragments, indices of all kinds, removed rows. */
export async function fill(store: VectorStore): Promise<void> {
  await put(store, 0, 2_100);
  await store.putDense(
    dense,
    denseRows.slice(0, 300).map((row) => ({ ...row, datasetId: removed })),
  );
  await store.putLexical(
    lexical,
    lexicalRows.slice(0, 300).map((row) => ({ ...row, datasetId: removed })),
  );
  await store.maintain();
  await store.removeDataset(removed);
  await put(store, 2_100, 2_150);
  // Some pages once more, which are removed from their fragment for it.
  await put(store, 100, 120);
  await put(store, 2_150);
}

/** Repairs every loss: puts all pages again, and removes those that have come back. */
export async function fillAgain(store: VectorStore): Promise<void> {
  await put(store, 0);
  await store.removeDataset(removed);
}

/** Answers to the same questions: pages by vectors, with all their vectors compared, and by words. */
export async function ask(store: VectorStore): Promise<readonly string[]> {
  const scope = { workspaceId, datasetIds: undefined, limit: 10 };
  const answers: string[] = [];
  for (const query of queries) {
    // Enough candidates, so that the partitions make no difference.
    const hits = await store.searchDense(dense, query, { ...scope, limit: 2_000 });
    answers.push(
      hits
        .slice(0, 10)
        .map(({ page, score }) => `${page} ${score.toFixed(3)}`)
        .join(", "),
    );
    const some = [7, 110, 2_190].map((page) => ({ datasetId: kept, page, generation: "a1" }));
    const scores = await store.scorePages(dense, query, some, workspaceId);
    answers.push(
      scores
        .map(({ page, score }) => `${page} ${score.toFixed(3)}`)
        .toSorted()
        .join(", "),
    );
  }
  for (const page of [3, 110, 1_000, 2_120, 2_199]) {
    const hits = await store.searchLexical(lexical, wordOf(page), scope);
    answers.push(hits.map((hit) => hit.page).join(", "));
    answers.push(String(await store.vectorsOf(dense, kept, page, "a1")));
  }
  return answers;
}

export async function rowsIn(store: VectorStore, space: DenseSpace | LexicalSpace): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  for await (const { page } of store.rowsOf(space, kept)) found.add(page);
  return found;
}

/** Pages that are in the space and are not found, or not as they were put. */
export async function wrongAmong(store: VectorStore, inDense: ReadonlySet<number>, inWords: ReadonlySet<number>) {
  const wrong: string[] = [];
  const some = (pages: ReadonlySet<number>): readonly number[] => [...pages].filter((_, at) => at % 97 === 0);
  for (const page of some(inDense)) {
    const [first] = await store.vectorsOf(dense, kept, page, "a1");
    const expected = new Float32Array(new Float16Array(denseRows[page - 1]?.vectors[0] ?? []));
    if (String(first) !== String(expected)) wrong.push(`vectors of ${page}`);
  }
  for (const page of some(inWords)) {
    const [hit] = await store.searchLexical(lexical, wordOf(page), { workspaceId, datasetIds: [kept], limit: 5 });
    if (hit?.page !== page) wrong.push(`words of ${page}`);
  }
  return wrong;
}

export const allPages = pageCount;
