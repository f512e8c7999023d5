import { setImmediate as nextTurn } from "node:timers/promises";
import { scopeFilter } from "./filters.ts";
import { type KeptColumn, valuesIn } from "./kept-column.ts";

/** Rows of a workspace that are read together: their codes take up to half of the memory that there is for codes. */
const maxRows = 5_000;
/** Rows of a workspace that have to be read by address before: those of some questions. */
const minMissed = 300;
/** A row takes some 15 µs with all others, and four times that by address. */
const minShare = 1 / 8;
/** Rows after which others have their turn: some 2 ms. */
const rowsPerTurn = 250;

/**
 * Hears of rows that were not in memory. Where they are many of their workspace's, all of its rows are read into the memory,
 * behind the searches and once for a version of the table: the next questions then ask the table for none.
 */
export function readAhead<Value>(column: KeptColumn<Value>, missed: number): void {
  const { workspaceId, rows } = column;
  const all = (rows.missed.get(workspaceId) ?? 0) + missed;
  rows.missed.set(workspaceId, all);
  if (all < minMissed) return;
  rows.missed.set(workspaceId, -Infinity);
  // A search that asks for the rows says what is wrong.
  readAll(column, all).catch(() => undefined);
}

async function readAll<Value>(column: KeptColumn<Value>, missed: number): Promise<void> {
  const { table, workspaceId, rows, name } = column;
  const filter = scopeFilter({ workspaceId, datasetIds: undefined, limit: maxRows });
  const count = await table.countRows(filter);
  if (count > maxRows) return;
  if (missed < minShare * count) {
    rows.missed.set(workspaceId, missed);
    return;
  }
  const addresses = new Map<string, bigint>();
  const found = await table.query().where(filter).withRowId().select(["id", name]).toArrow();
  for (const [id, address, value] of valuesIn(column, found)) {
    if (addresses.size % rowsPerTurn === 0) await nextTurn();
    addresses.set(id, address);
    if (rows.at(address, id) === undefined) rows.keep(address, id, value);
  }
  if ((await table.version()) !== rows.version) return;
  const known = rows.addressesOf(workspaceId);
  for (const [id, address] of addresses) known.set(id, address);
}
