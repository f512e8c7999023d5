import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import type { PageInSpace } from "../../server/domain/ports/features.ts";
import { documentRows, type LexicalRow } from "../../server/domain/ports/vectors.ts";
import type { Stores } from "../../server/stores.ts";
import { wordsPerPage } from "../synthetic/library.ts";
import type { World } from "../search/world.ts";

/** Datasets whose rows are written together. */
const atOnce = 5_000;
/** Fewer than real pages have: the cost of filters does not depend on them. */
const vectorsPerPage = 2;
const generation = "";

/** Adds a page of each dataset to the spaces of the pack, and the searchable text of its document. */
export async function indexDatasets(
  { pack, words, vectors, workspaceId, textSpace }: World,
  { vectors: store, features: codec }: Pick<Stores, "vectors" | "features">,
  datasets: readonly Dataset[],
): Promise<void> {
  const { dimensions } = textSpace;
  const written: LexicalRow[] = [];
  for (const { id } of datasets) {
    const index = { workspaceId, datasetId: id, generation };
    const text = words.text(wordsPerPage);
    const spaces = pack.spaces.flatMap((space): PageInSpace[] => {
      if (space.kind === "lexical") return [{ space: space.name, kind: "lexical", words: text }];
      if (space.name !== textSpace.name) return [];
      const page = vectors.page(vectors.document(dimensions), vectorsPerPage, 0);
      return [{ space: space.name, kind: "dense", vectors: page }];
    });
    await store.put(pack, codec.make(pack.spaces, [{ page: 1, spaces }], index), index);
    for (const page of Object.values(documentRows)) {
      written.push({ ...index, page, words: page === documentRows.name ? "report" : text });
    }
  }
  for (let from = 0; from < written.length; from += atOnce)
    await store.putDocuments(pack, written.slice(from, from + atOnce));
  await store.maintain();
}
