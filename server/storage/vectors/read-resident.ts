import { setImmediate as nextTurn } from "node:timers/promises";
import type { Table } from "@lancedb/lancedb";
import type { RecordBatch, Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { float32 } from "./columns.ts";
import { readRowId, scopeFilter } from "./filters.ts";
import { createResidentRows, type GrowingRows, isAlike, type ResidentRows } from "./resident-rows.ts";

export interface AskedRows {
  readonly table: Table;
  readonly workspaceId: WorkspaceId;
  readonly dimensions: number;
}

/** Rows that are taken together. */
const rowsPerRead = 1_000;
/** Rows after which others have their turn: some 2 ms. */
const rowsPerTurn = 250;

export const countRowsOf = (asked: AskedRows): Promise<number> => asked.table.countRows(filterOf(asked));

const filterOf = ({ workspaceId }: AskedRows): string => scopeFilter({ workspaceId, datasetIds: undefined, limit: 1 });

/**
 * Those that were there `before` are copied. Undefined if others have written meanwhile, or the space's vectors cannot be
 * compared so.
 */
export async function readResidentRows(
  asked: AskedRows,
  count: number,
  before: ResidentRows | undefined,
): Promise<ResidentRows | undefined> {
  const { table, dimensions } = asked;
  const version = await table.version();
  const rows = createResidentRows({ version, dimensions, count });
  if (rows === undefined) return undefined;
  if (before === undefined || !isAlike(count, before)) {
    await scan(asked, rows);
    return whole(rows, table);
  }
  const missing = await keepRows(asked, rows, before);
  // Many are read one after another rather than row by row, those that were kept once more.
  if (missing.length > count / 2) return readResidentRows(asked, count, undefined);
  for (let from = 0; from < missing.length; from += rowsPerRead) {
    const some = Array.from(missing.subarray(from, from + rowsPerRead));
    await add(rows, await table.takeRowIds(some).withRowId().select(["id", "first"]).toArrow());
  }
  return whole(rows, table);
}

async function add(rows: GrowingRows, read: ArrowTable | RecordBatch): Promise<void> {
  const first = read.getChild("first");
  for (const { at, page, address } of rowsIn(read)) {
    if (at % rowsPerTurn === 0) await nextTurn();
    if (rows.isFull) return;
    rows.push(page, address, float32(first?.get(at)?.toArray()));
  }
}

/**
 * Copies the rows that are still where they were; the addresses of the others, ascending. A table that was mended may have
 * another row at an address, so that each is asked for its id.
 */
async function keepRows(asked: AskedRows, rows: GrowingRows, before: ResidentRows): Promise<BigUint64Array> {
  const missing: bigint[] = [];
  for await (const batch of asked.table.query().where(filterOf(asked)).withRowId().select(["id"])) {
    for (const { at, page, address } of rowsIn(batch)) {
      if (at % rowsPerTurn === 0) await nextTurn();
      const place = before.placeOf(page);
      if (place === undefined || before.addressAt(place) !== address || rows.isFull) missing.push(address);
      else rows.pushRowOf(before, place);
    }
  }
  return BigUint64Array.from(missing).sort();
}

/** In one pass, of which a part at a time is in memory: to ask for one part after another takes twice as long, and three times the memory. */
async function scan(asked: AskedRows, rows: GrowingRows): Promise<void> {
  const query = asked.table.query().where(filterOf(asked)).withRowId().select(["id", "first"]);
  for await (const batch of query) await add(rows, batch);
}

/** Undefined if others have written while it was read. */
const whole = async (rows: GrowingRows, table: Table): Promise<ResidentRows | undefined> =>
  rows.isFull && (await table.version()) === rows.version ? rows : undefined;

interface ReadRow {
  readonly at: number;
  readonly page: PageKey;
  readonly address: bigint;
}

function* rowsIn(read: ArrowTable | RecordBatch): Generator<ReadRow> {
  const [ids, addresses] = [read.getChild("id"), read.getChild("_rowid")?.toArray()];
  if (!(addresses instanceof BigUint64Array)) return;
  for (const [at, address] of addresses.entries()) {
    const page = readRowId(String(ids?.get(at)));
    if (page !== undefined) yield { at, page, address };
  }
}
