import type { Table } from "@lancedb/lancedb";
import { retryWrite } from "./failures.ts";
import type { Lance } from "./lance.ts";
import { isFirstPass } from "./layout.ts";

/**
 * The codes of this index take an eighth of a byte per dimension, and are all compared with the query: partitions serve
 * only to make the codes more exact. More partitions took longer to make and found no more.
 */
const partitionsOf = (pages: number): number => Math.max(1, Math.round(Math.sqrt(pages) / 4));

/**
 * LanceDB gives rows that come after the index one of their own, and folds no fragments that different ones cover: each round of
 * maintenance with new rows leaves a fragment and a part more, and each part costs a search some 0.4 ms. Beyond so many, all
 * rows get one index again: 0.2 ms of CPU a page of 1,024 dimensions, which waits until no rows come any more, or parts are many.
 */
const maxParts = { atRest: 8, growing: 64 };

/**
 * Makes the indices of spaces in which more than `indexedPages` have vectors, and again where they have fallen into too many parts;
 * later rows get into them by maintenance.
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
    // Pages may have nothing in the space, and of a few vectors LanceDB can make no index.
    const pages = await table.countRows(`${name} IS NOT NULL`);
    if (pages <= indexedPages) continue;
    const config = Index.ivfRq({ distanceType: "cosine", numPartitions: partitionsOf(pages) });
    await retryWrite(() => table.createIndex(name, { config, replace: true }));
  }
}
