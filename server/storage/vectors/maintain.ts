import type { Table } from "@lancedb/lancedb";
import { retryConflicts } from "./conflicts.ts";
import { loadLance, type Lance } from "./lance.ts";
import { createIndices, isDense, missingIndices, nameOf } from "./tables.ts";
import { indexVectors, vectorColumns } from "./vector-index.ts";

/** An index of no rows takes less; a larger one still holds something of the rows that were there. */
const emptyIndexBytes = 1024;

/** A table that was written to this recently may just be getting its indices from the process that made it. */
const settledMs = 60_000;

export interface MaintainOptions {
  /** Where LanceDB leaves it to others to put tables on disk. */
  readonly disk?: Disk | undefined;
  /** How long old versions of a table are kept for readers, milliseconds. */
  readonly retentionMs: number;
}

export interface Disk {
  persist(table: string): Promise<void>;
  /** Removes the tags of a table, also those that cannot be read after a power cut and would stop LanceDB. */
  removeTags(table: string): Promise<void>;
}

/**
 * Folds fragments, makes and updates indices, removes versions that are no longer read. What it replaces itself is
 * removed by the next round, once the retention is over.
 */
export async function maintainTable(table: Table, options: MaintainOptions): Promise<void> {
  const { retentionMs, disk } = options;
  const lance = await loadLance();
  // Folding beside the process that makes the indices can leave one there twice.
  if (!(await repairIndices(lance, table))) return;
  const rows = await table.countRows();
  if (rows === 0) await emptyIndices(lance, table);
  else if (isDense(table)) await indexVectors(table, lance.lancedb.Index, rows);
  const cleanUp = () => retryConflicts(() => table.optimize({ cleanupOlderThan: new Date(Date.now() - retentionMs) }));
  if (disk === undefined) {
    await cleanUp();
    return;
  }
  const name = nameOf(table);
  await disk.removeTags(name);
  await retryConflicts(() => table.optimize({ cleanupOlderThan: beforeAllVersions }));
  const version = await table.version();
  await disk.persist(name);
  try {
    await keeping(table, version, cleanUp);
  } finally {
    await disk.removeTags(name);
  }
  await disk.persist(name);
}

const beforeAllVersions = new Date(0);

/** The tag of the version that is on disk while older ones are removed. */
const onDisk = "on-disk";

/**
 * Removes old versions, but for one that is known to be on disk: another process may have written a newer one meanwhile,
 * and a power cut would take that one away. If so, LanceDB refuses to remove any, and the next round does.
 */
async function keeping(table: Table, version: number, cleanUp: () => Promise<unknown>): Promise<void> {
  try {
    await (await table.tags()).create(onDisk, version);
    await cleanUp();
  } catch (cause) {
    // Or another process is maintaining the table.
    if (!(cause instanceof Error && /tagged version|tag .*already exists/i.test(cause.message))) throw cause;
  }
}

/** Makes the indices that are missing because their maker was killed; false if it may still be at work. */
async function repairIndices(lance: Lance, table: Table): Promise<boolean> {
  const missing = await missingIndices(table);
  if (missing.length === 0) return true;
  const versions = await table.listVersions();
  const writtenAt = Math.max(...versions.map(({ timestamp }) => timestamp.getTime()));
  if (Date.now() - writtenAt <= settledMs) return false;
  await createIndices(lance, table, missing);
  return true;
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
