import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { DueTable, IndexTables } from "../../domain/ports/index-tables.ts";
import { retryWrite } from "./failures.ts";
import { type Lance, loadLance } from "./lance.ts";
import { putOnDisk } from "./on-disk.ts";
import type { Trust } from "./trust.ts";
import { isFirstPass } from "./layout.ts";

/** Number of rows from which an index makes look-ups of ids, datasets and vectors faster. */
const indexedRows = 2_000;
const lookedFor = ["id", "datasetId"];

/** Number of tables that are maintained between two queries for due tables. */
const tablesAtOnce = 20;

interface MaintenanceContext {
  readonly trust: Trust;
  readonly catalog: Pick<IndexTables, "due" | "discard" | "maintained" | "noteVersion">;
  /** The folder of the tables; undefined if they are remote. */
  readonly root: string | undefined;
  readonly retentionMs: number;
  readonly clock: Clock;
}

/** Runs a round of maintenance for each due table. If one fails, its failure is thrown after the others are done. */
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
    // The table has been given up since.
    if (trusted?.entry.name !== entry.name) return;
    const at = clock();
    const { table } = trusted;
    // The first rows of a table that has never been written to are on their way.
    if (entry.version > 0 && (await table.countRows()) === 0) {
      await catalog.discard(entry, at);
      return;
    }
    const before = await table.version();
    await maintainTable(table, { retentionMs });
    // A round without changes is the last one.
    const after = await table.version();
    const isDone = after === before;
    // Processes that search an older version have to leave it before the next round removes its files.
    await catalog.noteVersion(entry.name, after);
    if (isDone && root !== undefined) await putOnDisk(join(root, `${entry.name}.lance`));
    await catalog.maintained(entry, { at, isDone });
  });
}

/**
 * Compacts fragments, creates and updates indices, and removes old versions, except those of the last `retentionMs`
 * milliseconds. The next round removes what this one replaces.
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
async function indexVectors(table: Table, Index: Lance["lancedb"]["Index"], indexedPages: number): Promise<void> {
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
