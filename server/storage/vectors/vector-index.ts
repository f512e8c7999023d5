import type { Table } from "@lancedb/lancedb";
import { retryConflicts } from "./conflicts.ts";
import type { Lance } from "./lance.ts";

/** Pages from which a table gets a vector index; below, comparing the vectors themselves is as quick. */
const indexedPages = 2_000;

/**
 * The codes of this index take an eighth of a byte per dimension, and are all compared with the query: partitions serve
 * only to make the codes more exact. More partitions took longer to make and found no more.
 */
const partitionsOf = (pages: number): number => Math.max(1, Math.round(Math.sqrt(pages) / 4));

/** The columns that may hold vectors; the first that a table has is the one of its first pass. */
export const vectorColumns = ["first", "pooled", "vectors"] as const;

/**
 * LanceDB gives rows that come after the index one of their own, and folds no fragments that different ones cover: each round of
 * maintenance with new rows leaves a fragment and a part more, and each part costs a search some 0.4 ms. Beyond so many, all
 * rows get one index again: 0.2 ms of CPU a page of 1,024 dimensions, which waits until no rows come any more, or parts are many.
 */
const maxParts = { atRest: 8, growing: 64 };

/**
 * Makes the index of a dense table that has grown large enough for it, and again where it has fallen into too many parts; later
 * rows get into it by maintenance.
 */
export async function indexVectors(table: Table, Index: Lance["lancedb"]["Index"], pages: number): Promise<void> {
  if (pages <= indexedPages) return;
  const names = (await table.schema()).fields.map(({ name }) => name);
  const column = vectorColumns.find((candidate) => names.includes(candidate));
  if (column === undefined) return;
  const index = (await table.listIndices()).find(({ columns }) => columns.includes(column));
  if (index !== undefined) {
    const { numSegments = 1, numUnindexedRows = 0 } = index;
    if (numSegments <= (numUnindexedRows === 0 ? maxParts.atRest : maxParts.growing)) return;
  }
  const config = Index.ivfRq({ distanceType: "cosine", numPartitions: partitionsOf(pages) });
  await retryConflicts(() => table.createIndex(column, { config, replace: true }));
}
