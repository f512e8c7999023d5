import { setTimeout as sleep } from "node:timers/promises";
import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import { scopeFilter } from "./filters.ts";
import { type KeptColumn, type Missed, valuesIn } from "./kept-column.ts";
import { addressesIn, diskKey } from "./read-column.ts";

/** Brings columns of workspaces that are searched again and again to this machine's disk as a whole. */
export interface RowFiller {
  /** To be called when a search had to read rows of the column from an object store; does not throw. */
  onMiss<Value>(column: KeptColumn<Value>, read: Missed): void;
}

/** Searches that missed rows, after which the others are read ahead. */
const missesBefore = 5;
/** Reading may take a twentieth of the time. */
const pausePerReading = 20;
/** Rows that are read together: some 5 MB of codes. */
const rowsPerRead = 1_000;
/** Of the time of a reading, how long the next one waits: searches go first. */
const restPerRead = 1;
/** Of the room on disk, what one workspace's column may take. */
const share = 0.6;

interface State {
  misses: number;
  isReading: boolean;
  /** By `performance.now`. */
  notBefore: number;
}

/**
 * Row by row a search takes dozens of requests, and each is for rows that few others need; read one after another they come in
 * some hundred requests for 100,000. `maxBytes`: the room on disk.
 */
export function createRowFiller({ maxBytes }: { readonly maxBytes: number }): RowFiller {
  const tables = new WeakMap<Table, Map<string, State>>();

  function stateOf(table: Table, name: string, workspaceId: WorkspaceId): State {
    const states = tables.get(table) ?? new Map<string, State>();
    tables.set(table, states);
    const key = `${name} ${workspaceId}`;
    const state = states.get(key) ?? { misses: 0, isReading: false, notBefore: 0 };
    states.set(key, state);
    return state;
  }

  async function fill<Value>(column: KeptColumn<Value>, bytesPerRow: number): Promise<void> {
    const { table, workspaceId, name, disk } = column;
    const filter = scopeFilter({ workspaceId, datasetIds: undefined, limit: 1 });
    if (disk === undefined || (await table.countRows(filter)) * bytesPerRow > share * maxBytes) return;
    const found = addressesIn(await table.query().where(filter).withRowId().select(["id"]).toArrow());
    const missing = [...found].flatMap(([id, address]) =>
      disk.rows.has(diskKey(column, disk, id, address)) ? [] : [address],
    );
    missing.sort((one, other) => (one < other ? -1 : 1));
    for (let from = 0; from < missing.length; from += rowsPerRead) {
      const startedAt = performance.now();
      const some = missing.slice(from, from + rowsPerRead);
      const read = await table.takeRowIds(some).withRowId().select(["id", name]).toArrow();
      const rows = new Map<string, Uint8Array>();
      for (const [id, address, value] of valuesIn(column, read)) {
        rows.set(diskKey(column, disk, id, address), disk.encode(value));
      }
      await disk.rows.write(rows);
      await sleep(restPerRead * (performance.now() - startedAt));
    }
  }

  return {
    onMiss(column, { rows, bytes }) {
      const state = stateOf(column.table, column.name, column.workspaceId);
      state.misses += 1;
      if (rows === 0 || state.misses < missesBefore || state.isReading || performance.now() < state.notBefore) return;
      const startedAt = performance.now();
      state.isReading = true;
      const end = (): void => {
        state.misses = 0;
        state.isReading = false;
        state.notBefore = performance.now() + pausePerReading * (performance.now() - startedAt);
      };
      // What cannot be read ahead is read by the searches, which say what is wrong.
      fill(column, bytes / rows).then(end, end);
    },
  };
}
