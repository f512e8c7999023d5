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

/** Makes the index of a dense table that has grown large enough for it; later rows get into it by maintenance. */
export async function indexVectors(table: Table, Index: Lance["lancedb"]["Index"], pages: number): Promise<void> {
  if (pages <= indexedPages) return;
  const names = (await table.schema()).fields.map(({ name }) => name);
  const column = vectorColumns.find((candidate) => names.includes(candidate));
  const indices = await table.listIndices();
  if (column === undefined || indices.some(({ columns }) => columns.includes(column))) return;
  const config = Index.ivfRq({ distanceType: "cosine", numPartitions: partitionsOf(pages) });
  await retryConflicts(() => table.createIndex(column, { config }));
}
