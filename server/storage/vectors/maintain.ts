import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { DueTable, IndexTables } from "../../domain/ports/index-tables.ts";
import { retryWrite } from "./failures.ts";
import { loadLance } from "./lance.ts";
import { putOnDisk } from "./on-disk.ts";
import type { Trust } from "./trust.ts";
import { indexVectors } from "./vector-index.ts";

/** Rows from which looking for ids, datasets and vectors takes less with an index. */
const indexedRows = 2_000;
const lookedFor = ["id", "datasetId"];

/** Tables that are maintained between two looks at which are due. */
const tablesAtOnce = 20;

interface Upkeep {
  readonly trust: Trust;
  readonly catalog: Pick<IndexTables, "due" | "discard" | "maintained" | "noteVersion">;
  /** The folder of the tables; undefined if they are elsewhere. */
  readonly root: string | undefined;
  readonly retentionMs: number;
  readonly clock: Clock;
}

/** A round for each of the tables that are due. Throws the failure of one of them after the others. */
export async function maintain(upkeep: Upkeep): Promise<void> {
  const { catalog, clock } = upkeep;
  const before = clock();
  const failures: unknown[] = [];
  for (;;) {
    const due = await catalog.due(before, tablesAtOnce);
    if (due.length === 0) break;
    for (const entry of due) {
      try {
        await maintainOne(upkeep, entry);
      } catch (cause) {
        failures.push(cause);
        await catalog.maintained(entry, { at: clock(), isDone: false });
      }
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function maintainOne({ trust, catalog, root, retentionMs, clock }: Upkeep, entry: DueTable): Promise<void> {
  await trust.changing(entry, async (trusted) => {
    // Given up since.
    if (trusted?.entry.name !== entry.name) return;
    const at = clock();
    const { table } = trusted;
    // The first rows of one that has never been written to are on their way.
    if (entry.version > 0 && (await table.countRows()) === 0) {
      await catalog.discard(entry, at);
      return;
    }
    const before = await table.version();
    await maintainTable(table, { retentionMs });
    // A round that changes nothing is the last one.
    const after = await table.version();
    const isDone = after === before;
    // Whoever searches an older one has to leave it before the next round removes its files.
    await catalog.noteVersion(entry.name, after);
    if (isDone && root !== undefined) await putOnDisk(join(root, `${entry.name}.lance`));
    await catalog.maintained(entry, { at, isDone });
  });
}

/**
 * Folds fragments, makes and updates indices, removes versions that are no longer read, those of the last `retentionMs` milliseconds
 * excepted. What it replaces itself is removed by the next round.
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
