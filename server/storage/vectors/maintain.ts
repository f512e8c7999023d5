import type { Table } from "@lancedb/lancedb";
import { retryConflicts } from "./conflicts.ts";
import { loadLance, type Lance } from "./lance.ts";
import { createIndices, isDense, missingIndices } from "./tables.ts";
import { indexVectors, vectorColumns } from "./vector-index.ts";

/** An index of no rows takes less; a larger one still holds something of the rows that were there. */
const emptyIndexBytes = 1024;

/** A table that was written to this recently may just be getting its indices from the process that made it. */
const settledMs = 60_000;

export interface MaintainOptions {
  /** How long old versions of a table stay for those who read them, milliseconds. */
  readonly retentionMs: number;
  /** Nobody else is writing: what interrupted writes have left can go as well. */
  readonly alone: boolean;
}

/**
 * Folds fragments, makes and updates indices, removes versions that nobody reads any more. What it replaces itself is
 * removed by the next round, once the retention is over.
 */
export async function maintainTable(table: Table, { retentionMs, alone }: MaintainOptions): Promise<void> {
  const lance = await loadLance();
  await repairIndices(lance, table);
  const rows = await table.countRows();
  if (rows === 0) await emptyIndices(lance, table);
  else if (isDense(table)) await indexVectors(table, lance.lancedb.Index, rows);
  await retryConflicts(() =>
    table.optimize({ cleanupOlderThan: new Date(Date.now() - retentionMs), deleteUnverified: alone }),
  );
}

/** Makes the indices that are missing because their maker was killed. */
async function repairIndices(lance: Lance, table: Table): Promise<void> {
  const missing = await missingIndices(table);
  if (missing.length === 0) return;
  const versions = await table.listVersions();
  const writtenAt = Math.max(...versions.map(({ timestamp }) => timestamp.getTime()));
  if (Date.now() - writtenAt > settledMs) await createIndices(lance, table, missing);
}

/** Removed rows stay in their indices, words and all, until an index is folded with others: in an empty table for ever. */
async function emptyIndices(lance: Lance, table: Table): Promise<void> {
  for (const { name, columns, sizeBytes = 0 } of await table.listIndices()) {
    if (sizeBytes <= emptyIndexBytes) continue;
    // Without vectors there is nothing to train it with; it comes back with enough of them.
    if (vectorColumns.some((column) => columns.includes(column))) await retryConflicts(() => table.dropIndex(name));
    else await createIndices(lance, table, columns);
  }
}
