import { setImmediate as nextTurn } from "node:timers/promises";
import type { Table } from "@lancedb/lancedb";
import type { RecordBatch, Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import type { Changes } from "./changes/changes.ts";
import { float32 } from "./columns.ts";
import { readRowId, scopeFilter } from "./filters.ts";
import { bytesOfRows, createResidentRows, type GrowingRows, isAlike } from "./resident-rows.ts";
import { versionOf } from "./standing.ts";
import type { CodedVector } from "./vector-matrix.ts";

export interface AskedRows {
  readonly table: Table;
  readonly workspaceId: WorkspaceId;
  readonly dimensions: number;
  /** That is to be read; undefined: that of the table. */
  readonly version?: number | undefined;
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
  before: GrowingRows | undefined,
): Promise<GrowingRows | undefined> {
  const { table, dimensions } = asked;
  const version = asked.version ?? (await versionOf(table));
  const rows = createResidentRows({ version, dimensions, count });
  if (rows === undefined) return undefined;
  if (before === undefined || !isAlike(count, before)) {
    return (await scan(asked, rows, count)) && rows.count === count ? rows : undefined;
  }
  const missing = await keepRows(asked, rows, { before, count });
  // Many are read one after another rather than row by row, those that were kept once more.
  if (missing.length > count / 2) return readResidentRows(asked, count, undefined);
  for await (const read of takeRows(table, missing)) await add(rows, read, count);
  return rows.count === count && (await versionOf(table)) === version ? rows : undefined;
}

export interface FollowedRows extends AskedRows {
  readonly rows: GrowingRows;
  /** Is told how many bytes all rows take where those that were there are copied; may throw. */
  readonly makeRoom: (bytes: number) => void;
}

/** The same rows in the version of the changes; undefined if others have written meanwhile. */
export async function followRows(
  { table, workspaceId, rows, makeRoom }: FollowedRows,
  changes: Changes,
): Promise<GrowingRows | undefined> {
  const { version } = changes.layout;
  const added: { readonly page: PageKey; readonly address: bigint; readonly first: CodedVector }[] = [];
  let count = 0;
  for await (const read of takeRows(table, changes.added())) {
    count += read.numRows;
    const [first, workspaces] = [read.getChild("first"), read.getChild("workspaceId")];
    for (const { at, page, address } of rowsIn(read)) {
      if (at > 0 && at % rowsPerTurn === 0) await nextTurn();
      if (workspaces?.get(at) !== workspaceId) continue;
      added.push({ page, address, first: rows.encode(float32(first?.get(at)?.toArray())) });
    }
  }
  if (count !== changes.addedCount || (await versionOf(table)) !== version) return undefined;
  const isRoomy = added.length <= rows.room;
  if (!isRoomy) makeRoom(bytesOfRows(rows.count + added.length, rows.dimensions));
  const roomy = isRoomy ? rows : await withRoom(rows, added.length);
  if (roomy === undefined) return undefined;
  roomy.become(version, changes.follow(roomy.addresses));
  for (const { page, address, first } of added) roomy.push(page, address, first);
  return roomy;
}

/** Copies the rows that are there. */
async function withRoom(rows: GrowingRows, added: number): Promise<GrowingRows | undefined> {
  const { version, dimensions } = rows;
  const count = rows.count + added;
  const copied = isAlike(count, rows) ? createResidentRows({ version, dimensions, count }) : undefined;
  if (copied === undefined) return undefined;
  for (const [place] of rows.addresses.entries()) {
    if (place % rowsPerTurn === 0) await nextTurn();
    if (rows.placeOf(rows.pageAt(place)) === place) copied.pushRowOf(rows, place);
  }
  return copied;
}

async function* takeRows(table: Table, addresses: ArrayLike<bigint>): AsyncGenerator<ArrowTable> {
  for (let from = 0; from < addresses.length; from += rowsPerRead) {
    const some = Array.prototype.slice.call(addresses, from, from + rowsPerRead);
    yield table.takeRowIds(some).withRowId().select(["id", "workspaceId", "first"]).toArrow();
  }
}

async function add(rows: GrowingRows, read: ArrowTable | RecordBatch, count: number): Promise<void> {
  const first = read.getChild("first");
  for (const { at, page, address } of rowsIn(read)) {
    if (at % rowsPerTurn === 0) await nextTurn();
    if (rows.count === count) return;
    rows.push(page, address, rows.encode(float32(first?.get(at)?.toArray())));
  }
}

/**
 * Copies the rows that were there `before` and are still where they were; the addresses of the others, ascending. A table that was mended may have
 * another row at an address, so that each is asked for its id.
 */
async function keepRows(
  asked: AskedRows,
  rows: GrowingRows,
  { before, count }: { readonly before: GrowingRows; readonly count: number },
): Promise<BigUint64Array> {
  const missing: bigint[] = [];
  for await (const batch of asked.table.query().where(filterOf(asked)).withRowId().select(["id"])) {
    for (const { at, page, address } of rowsIn(batch)) {
      if (at % rowsPerTurn === 0) await nextTurn();
      const place = before.placeOf(page);
      if (place === undefined || before.addressAt(place) !== address || rows.count === count) missing.push(address);
      else rows.pushRowOf(before, place);
    }
  }
  return BigUint64Array.from(missing).sort();
}

/**
 * In one pass, of which a part at a time is in memory: to ask for one part after another takes twice as long, and three times the memory.
 * False if it is of a later version than the rows.
 */
async function scan(asked: AskedRows, rows: GrowingRows, count: number): Promise<boolean> {
  const query = asked.table.query().where(filterOf(asked)).withRowId().select(["id", "first"]);
  let isBegun = false;
  for await (const batch of query) {
    // What is given first is given by the version that gives all.
    if (!isBegun && (await versionOf(asked.table)) !== rows.version) return false;
    isBegun = true;
    await add(rows, batch, count);
  }
  return isBegun || (await versionOf(asked.table)) === rows.version;
}

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
