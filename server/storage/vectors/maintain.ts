import type { Table } from "@lancedb/lancedb";
import { retryConflicts } from "./conflicts.ts";
import { loadLance, type Lance } from "./lance.ts";
import { createIndices, isDense, missingIndices } from "./tables.ts";

/** Rows from which a table gets a vector index; below, comparing all of them is as quick, and exact. */
const indexedRows = 30_000;

/** A table that was written to this recently may just be getting its indices from the process that made it. */
const settledMs = 60_000;

export interface MaintainOptions {
  /** How long old versions of a table stay for those who read them, milliseconds. */
  readonly retentionMs: number;
  /** Nobody else is writing: what interrupted writes have left can go as well. */
  readonly alone: boolean;
}

/** Folds fragments, makes and updates indices, removes versions that nobody reads any more. */
export async function maintainTable(table: Table, { retentionMs, alone }: MaintainOptions): Promise<void> {
  const lance = await loadLance();
  await repairIndices(lance, table);
  if (isDense(table)) await createVectorIndex(table, lance.lancedb.Index);
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

async function createVectorIndex(table: Table, Index: Lance["lancedb"]["Index"]): Promise<void> {
  const rows = await table.countRows();
  if (rows <= indexedRows) return;
  const indices = await table.listIndices();
  if (indices.some(({ columns }) => columns.includes("vector"))) return;
  const config = Index.ivfRq({ distanceType: "cosine", numPartitions: Math.round(Math.sqrt(rows)) });
  await retryConflicts(() => table.createIndex("vector", { config }));
}
