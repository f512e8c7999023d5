import type { Table } from "@lancedb/lancedb";
import { retryWrite } from "./failures.ts";
import type { Lance } from "./lance.ts";
import { isFirstPass } from "./layout.ts";

/**
 * The codes of this index take one bit per dimension, and all of them are compared with the query. Partitions only make
 * the codes more exact; more partitions took longer to build and found no more.
 */
const partitionsOf = (pages: number): number => Math.max(1, Math.round(Math.sqrt(pages) / 4));

/**
 * LanceDB gives rows that come after the index an index part of their own, and does not compact fragments that
 * different parts cover. So each round of maintenance with new rows adds a fragment and a part, and each part costs a
 * search some 0.4 ms. Beyond these numbers all rows get one index again, at 0.2 ms of CPU per page of 1,024 dimensions;
 * that waits until no more rows come, or there are many parts.
 */
const maxParts = { atRest: 8, growing: 64 };

/**
 * Builds the indices of spaces in which more than `indexedPages` pages have vectors, and rebuilds indices with too many
 * parts. Maintenance adds later rows.
 */
export async function indexVectors(
  table: Table,
  Index: Lance["lancedb"]["Index"],
  indexedPages: number,
): Promise<void> {
  const { fields } = await table.schema();
  for (const { name } of fields.filter(isFirstPass)) {
    const index = (await table.listIndices()).find(({ columns }) => columns.includes(name));
    if (index !== undefined) {
      const { numSegments = 1, numUnindexedRows = 0 } = index;
      if (numSegments <= (numUnindexedRows === 0 ? maxParts.atRest : maxParts.growing)) continue;
    }
    // Pages may have no row in the space, and LanceDB cannot build an index of a few vectors.
    const pages = await table.countRows(`${name} IS NOT NULL`);
    if (pages <= indexedPages) continue;
    const config = Index.ivfRq({ distanceType: "cosine", numPartitions: partitionsOf(pages) });
    await retryWrite(() => table.createIndex(name, { config, replace: true }));
  }
}
