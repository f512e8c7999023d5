import type { Dataset } from "../datasets/dataset.ts";
import { type DatasetId, parseDatasetId, type WorkspaceId } from "../ids.ts";
import type { TableOf } from "../ports/index-tables.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { IndexRef, ServedIndex } from "../ports/packs.ts";
import type { VectorStore } from "../ports/vector-store.ts";
import type { SpaceRef } from "../ports/vectors.ts";
import { servedIndices } from "./served.ts";

/** A difference between a dataset's index and its metadata. */
export type Difference =
  /** Pages that are marked as embedded but have no row in one of the spaces. */
  | { readonly kind: "missing"; readonly datasetId: DatasetId; readonly pages: readonly number[] }
  /** Rows of a generation that belongs to no index. */
  | {
      readonly kind: "stray";
      readonly datasetId: DatasetId;
      readonly generation: string;
      readonly table: TableOf;
      readonly rows: number;
    };

interface Stores {
  readonly metadata: Pick<Metadata, "indices" | "indexTables" | "pages">;
  readonly vectors: Pick<VectorStore, "rowsOf">;
}

/** Datasets per look-up. */
const atOnce = 500;

/**
 * Compares the rows of a space with the pages that are marked as embedded, in both directions, for one dataset or
 * all. Concurrent writes may be reported as stray or missing. Takes some 20 bytes of memory per row of a workspace.
 */
export async function* compareIndex(
  stores: Stores,
  space: SpaceRef,
  only?: Pick<Dataset, "id" | "workspaceId">,
): AsyncGenerator<Difference> {
  for (const [workspaceId, indices] of await indicesByWorkspace(stores, space.pack, only)) {
    const found = await collectRows(stores, space, workspaceId, only?.id);
    for (const index of indices) {
      const there = new Set(found.get(keyOf(index.datasetId, index.generation)));
      const embedded = await stores.metadata.pages.embedded(index.datasetId);
      const expected = embedded.filter(({ absentFrom }) => !absentFrom.includes(space.name));
      const pages = expected.flatMap(({ page }) => (there.has(page) ? [] : [page]));
      if (pages.length > 0) yield { kind: "missing", datasetId: index.datasetId, pages };
    }
    yield* strays(stores, { workspaceId, pack: space.pack }, found);
  }
}

type Indices = readonly (IndexRef & { readonly datasetId: DatasetId })[];

/** Indices of all workspaces that have an index or a table in the pack. */
async function indicesByWorkspace(
  { metadata }: Stores,
  pack: string,
  only: Pick<Dataset, "id" | "workspaceId"> | undefined,
): Promise<ReadonlyMap<WorkspaceId, Indices>> {
  if (only !== undefined) {
    const all = await metadata.indices.generations([only.id]);
    return new Map([[only.workspaceId, all.filter((index) => index.pack === pack)]]);
  }
  const found = new Map<WorkspaceId, ServedIndex[]>();
  const tables = await metadata.indexTables.ofPack(pack, Number.MAX_SAFE_INTEGER);
  for (const { workspaceId } of tables) found.set(workspaceId, []);
  for await (const some of servedIndices(metadata, pack)) {
    for (const index of some) found.set(index.workspaceId, [...(found.get(index.workspaceId) ?? []), index]);
  }
  return found;
}

async function collectRows(
  { vectors }: Stores,
  space: SpaceRef,
  workspaceId: WorkspaceId,
  only: DatasetId | undefined,
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  for await (const { datasetId, page, generation } of vectors.rowsOf(space, workspaceId, only)) {
    const key = keyOf(datasetId, generation);
    const pages = found.get(key);
    if (pages === undefined) found.set(key, [page]);
    else pages.push(page);
  }
  return found;
}

async function* strays(
  { metadata }: Stores,
  table: TableOf,
  found: ReadonlyMap<string, readonly number[]>,
): AsyncGenerator<Difference> {
  const rows = Array.from(found, ([key, pages]) => ({ ...parseKey(key), rows: pages.length }));
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce);
    const indices = await metadata.indices.generations(some.map(({ datasetId }) => datasetId));
    const current = new Set(indices.map(({ datasetId, generation }) => keyOf(datasetId, generation)));
    for (const row of some) {
      if (!current.has(keyOf(row.datasetId, row.generation))) yield { kind: "stray", ...row, table };
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
