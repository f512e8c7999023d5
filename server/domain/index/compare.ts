import { type DatasetId, parseDatasetId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { SpaceRef, VectorStore } from "../ports/vectors.ts";
import { servedIndices } from "./served.ts";

/** What a dataset's index and its rows in the metadata say differently. */
export type Difference =
  /** Pages that are marked as embedded and have no row in one of the spaces. */
  | { readonly kind: "missing"; readonly datasetId: DatasetId; readonly pages: readonly number[] }
  /** Rows of a generation that is no index's. */
  | { readonly kind: "stray"; readonly datasetId: DatasetId; readonly generation: string; readonly rows: number };

interface Stores {
  readonly metadata: Pick<Metadata, "indices" | "pages">;
  readonly vectors: Pick<VectorStore, "rowsOf">;
}

/** Datasets that are looked up together. */
const atOnce = 500;

/**
 * Compares a space with the marks of embedding, both ways; of one dataset or of all. What is written meanwhile may be given
 * as stray or as missing. Takes some 20 bytes of memory a row.
 */
export async function* compareIndex(
  stores: Stores,
  space: SpaceRef,
  datasetId?: DatasetId,
): AsyncGenerator<Difference> {
  const found = await collectRows(stores, space, datasetId);
  for await (const index of indicesOf(stores, space.pack, datasetId)) {
    const key = keyOf(index.datasetId, index.generation);
    const there = new Set(found.get(key));
    const embedded = await stores.metadata.pages.embedded(index.datasetId);
    const expected = embedded.filter(({ absentFrom }) => !absentFrom.includes(space.name));
    const pages = expected.flatMap(({ page }) => (there.has(page) ? [] : [page]));
    if (pages.length > 0) yield { kind: "missing", datasetId: index.datasetId, pages };
  }
  yield* strays(stores, found);
}

async function collectRows(
  { vectors }: Stores,
  space: SpaceRef,
  only: DatasetId | undefined,
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for await (const { datasetId, page, generation } of vectors.rowsOf(space, only)) {
    const key = keyOf(datasetId, generation);
    const pages = found.get(key);
    if (pages === undefined) found.set(key, [page]);
    else pages.push(page);
  }
  return found;
}

/** Those of a pack that are compared. */
async function* indicesOf({ metadata }: Stores, pack: string, only: DatasetId | undefined) {
  if (only === undefined) for await (const some of servedIndices(metadata, pack)) yield* some;
  else for (const index of await metadata.indices.generations([only])) if (index.pack === pack) yield index;
}

async function* strays(
  { metadata }: Stores,
  found: ReadonlyMap<string, readonly number[]>,
): AsyncGenerator<Difference> {
  const rows = Array.from(found, ([key, pages]) => ({ ...parseKey(key), rows: pages.length }));
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce);
    const indices = await metadata.indices.generations(some.map(({ datasetId }) => datasetId));
    const current = new Set(indices.map(({ datasetId, generation }) => keyOf(datasetId, generation)));
    for (const row of some) {
      if (!current.has(keyOf(row.datasetId, row.generation))) yield { kind: "stray", ...row };
    }
  }
}

const keyOf = (datasetId: DatasetId, generation: string): string => `${datasetId}@${generation}`;

function parseKey(key: string): { datasetId: DatasetId; generation: string } {
  const [id = "", generation = ""] = key.split("@");
  const datasetId = parseDatasetId(id);
  if (datasetId === undefined) throw new Error(`not a dataset: ${id}`);
  return { datasetId, generation };
}
