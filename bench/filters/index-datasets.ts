import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { documentRows, type LexicalRow, type LexicalSpace } from "../../server/domain/ports/vectors.ts";
import type { Stores } from "../../server/stores.ts";
import { isDense, wordsPerPage } from "../synthetic/library.ts";
import type { World } from "../search/world.ts";

/** Datasets whose rows are written together. */
const atOnce = 5_000;
/** Fewer than of real pages: what filters cost does not depend on them. */
const vectorsPerPage = 2;
const generation = "";

/** Puts a page of each dataset into the spaces of the pack, and what its document is found by. */
export async function indexDatasets(
  { pack, words, vectors, workspaceId, textSpace }: World,
  { vectors: store }: Pick<Stores, "vectors">,
  datasets: readonly Dataset[],
): Promise<void> {
  for (let from = 0; from < datasets.length; from += atOnce) {
    const pages = datasets.slice(from, from + atOnce).map(({ id }) => ({
      row: { workspaceId, datasetId: id, generation, page: 1 },
      words: words.text(wordsPerPage),
    }));
    for (const space of pack.spaces) {
      if (space.kind === "lexical") {
        await store.putLexical(
          space,
          pages.map(({ row, words: text }) => ({ ...row, words: text })),
        );
      } else if (isDense(space) && space.name === textSpace.name) {
        const { dimensions } = space;
        const rows = pages.map(({ row }) => ({
          ...row,
          vectors: vectors.page(vectors.document(dimensions), vectorsPerPage, 0),
        }));
        await store.putDense(space, rows);
      }
    }
    if (pack.reads !== undefined) await putDocuments(store, pack.reads.documents, pages);
  }
  await store.maintain();
}

async function putDocuments(
  store: Stores["vectors"],
  space: LexicalSpace,
  pages: readonly { readonly row: Omit<LexicalRow, "words">; readonly words: string }[],
): Promise<void> {
  const rows = pages.flatMap(({ row, words }) =>
    Object.values(documentRows).map((page) => ({ ...row, page, words: page === documentRows.name ? "report" : words })),
  );
  await store.putLexical(space, rows);
}
