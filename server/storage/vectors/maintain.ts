import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { DueTable, IndexTables } from "../../domain/ports/index-tables.ts";
import { retryWrite } from "./failures.ts";
import { type Lance, loadLance } from "./lance.ts";
import { putOnDisk } from "./on-disk.ts";
import type { Trust } from "./trust.ts";
import { isFirstPass } from "./layout.ts";

/** Minimum number of rows for an index, which makes look-ups of ids, datasets and vectors faster. */
const indexedRows = 2_000;
const lookedFor = ["id", "datasetId"];

/** Number of tables per query for due tables. */
const tablesAtOnce = 20;

interface MaintenanceContext {
  readonly trust: Trust;
  readonly catalog: Pick<IndexTables, "due" | "discard" | "maintained" | "noteVersion">;
  /** The folder of the tables; undefined if they are remote. */
  readonly root: string | undefined;
  readonly retentionMs: number;
  readonly clock: Clock;
}

/** Runs a round of maintenance for each due table. A failure is thrown only after the other tables are done. */
export async function maintain(context: MaintenanceContext): Promise<void> {
  const { catalog, clock } = context;
  const before = clock();
  const failures: unknown[] = [];
  for (;;) {
    const due = await catalog.due(before, tablesAtOnce);
    if (due.length === 0) break;
    for (const entry of due) {
      try {
        await maintainOne(context, entry);
      } catch (cause) {
        failures.push(cause);
        await catalog.maintained(entry, { at: clock(), isDone: false });
      }
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function maintainOne(
  { trust, catalog, root, retentionMs, clock }: MaintenanceContext,
  entry: DueTable,
): Promise<void> {
  await trust.changing(entry, async (trusted) => {
    // The table has been given up in the meantime.
    if (trusted?.entry.name !== entry.name) return;
    const at = clock();
    const { table } = trusted;
    // A table that has never been written to is empty because its first rows are still being written.
    if (entry.version > 0 && (await table.countRows()) === 0) {
      await catalog.discard(entry, at);
      return;
    }
    const before = await table.version();
    await maintainTable(table, { retentionMs });
    // A round that changes nothing is the last one.
    const after = await table.version();
    const isDone = after === before;
    // This lets processes that search an older version leave it before the next round removes its files.
    await catalog.noteVersion(entry.name, after);
    if (isDone && root !== undefined) await putOnDisk(join(root, `${entry.name}.lance`));
    await catalog.maintained(entry, { at, isDone });
  });
}

/**
 * Compacts fragments, creates and updates indices, and removes old versions, except those of the last `retentionMs`
 * milliseconds. The versions that this round replaces are removed by the next one.
 */
async function maintainTable(table: Table, { retentionMs }: { readonly retentionMs: number }): Promise<void> {
  const { Index } = (await loadLance()).lancedb;
  const rows = await table.countRows();
  if (rows > indexedRows) {
    const indexed = new Set((await table.listIndices()).flatMap(({ columns }) => columns));
    for (const column of lookedFor) {
      if (!indexed.has(column)) await retryWrite(() => table.createIndex(column, { config: Index.btree() }));
    }
    await indexVectors(table, Index, indexedRows);
  }
  await retryWrite(() => table.optimize({ cleanupOlderThan: new Date(Date.now() - retentionMs) }));
}

/**
 * Number of partitions. The codes of this index take one bit per dimension, and a search compares all of them with the
 * query. Partitions only make the codes more exact; more partitions took longer to build and did not improve the
 * results.
 */
const partitionsOf = (pages: number): number => Math.max(1, Math.round(Math.sqrt(pages) / 4));

/**
 * Maximum number of parts of an index. LanceDB puts rows that were added after the index was built into an index part
 * of their own, and does not compact fragments that belong to different parts. Each round of maintenance with new rows
 * therefore adds a fragment and a part, and each part slows a search by about 0.4 ms. Beyond this number, the index is
 * rebuilt for all rows, at 0.2 ms of CPU per page of 1,024 dimensions. While rows are still being added, the rebuild
 * waits until there are many parts.
 */
const maxParts = { atRest: 8, growing: 64 };

/**
 * Builds the indices of spaces in which more than `indexedPages` pages have vectors, and rebuilds indices with too many
 * parts. Rows that are added later are indexed by `optimize`.
 */
async function indexVectors(table: Table, Index: Lance["lancedb"]["Index"], indexedPages: number): Promise<void> {
  const { fields } = await table.schema();
  for (const { name } of fields.filter(isFirstPass)) {
    const index = (await table.listIndices()).find(({ columns }) => columns.includes(name));
    if (index !== undefined) {
      const { numSegments = 1, numUnindexedRows = 0 } = index;
      if (numSegments <= (numUnindexedRows === 0 ? maxParts.atRest : maxParts.growing)) continue;
    }
    // Some pages may have no row in the space, and LanceDB cannot build an index of only a few vectors.
    const pages = await table.countRows(`${name} IS NOT NULL`);
    if (pages <= indexedPages) continue;
    const config = Index.ivfRq({ distanceType: "cosine", numPartitions: partitionsOf(pages) });
    await retryWrite(() => table.createIndex(name, { config, replace: true }));
  }
}
