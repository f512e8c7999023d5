import type { Table as ArrowTable } from "apache-arrow";
import type { Table } from "@lancedb/lancedb";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import { rowsFilter } from "../filters.ts";
import { type CachedRows, valueIn } from "./rows-in-memory.ts";

/** A column of a table. Rows stay in memory after they have been read. */
export interface CachedColumn<Value> {
  readonly table: Table;
  readonly rows: CachedRows<Value>;
  readonly name: string;
  /** Returns the id of the row for a page. */
  readonly idOf: (page: PageKey) => string;
  /**
   * Copies a value that Arrow returns as a view of everything that was read. Throws if the value does not belong in the
   * column.
   */
  readonly copy: (value: unknown) => Value;
}

/**
 * Yields the rows of a query that selects ids, addresses and the column; rows without a value in the column are left
 * out.
 */
function* valuesIn<Value>(
  { name, copy }: CachedColumn<Value>,
  rows: ArrowTable,
): Generator<readonly [id: string, address: bigint, value: Value]> {
  const [ids, addresses, values] = [rows.getChild("id"), rows.getChild("_rowid"), rows.getChild(name)];
  for (let at = 0; at < rows.numRows; at++) {
    const value: unknown = values?.get(at);
    if (value !== null) yield [String(ids?.get(at)), BigInt(addresses?.get(at)), copy(value)];
  }
}

/** Addresses of rows by their ids. */
export type Addresses = Map<string, bigint>;

/** Number of rows per look-up. */
const rowsPerRead = 1_000;

/** Records the addresses of rows that were found. */
export function noteAddresses<Value>({ rows }: CachedColumn<Value>, found: Addresses): void {
  for (const [id, address] of found) rows.addresses.set(id, address);
}

/** Finds the addresses of the pages' rows, if they exist. */
export async function locate<Value>(column: CachedColumn<Value>, pages: readonly PageKey[]): Promise<Addresses> {
  const { table, rows, idOf } = column;
  const ids = pages.map(idOf);
  const unknown = ids.filter((id) => !rows.addresses.has(id));
  for (let from = 0; from < unknown.length; from += rowsPerRead) {
    const some = unknown.slice(from, from + rowsPerRead);
    const found = addressesIn(await table.query().where(rowsFilter(some)).withRowId().select(["id"]).toArrow());
    for (const id of some) rows.addresses.set(id, found.get(id));
  }
  const addresses: Addresses = new Map();
  for (const id of ids) {
    const address = rows.addresses.get(id);
    if (address !== undefined) addresses.set(id, address);
  }
  return addresses;
}

/** Returns the values of the column for the pages, in order; undefined for a page without a row or a value. */
export async function readPages<Value>(
  column: CachedColumn<Value>,
  pages: readonly PageKey[],
): Promise<readonly (Value | undefined)[]> {
  const { rows, idOf } = column;
  const values = pages.map((page) => valueIn(rows.found.get(page)));
  const unknown = pages.filter((_, at) => values[at] === undefined);
  if (unknown.length === 0) return values;
  const addresses = await locate(column, unknown);
  const read = await readColumn(column, addresses);
  for (const page of unknown) {
    const [id, address] = [idOf(page), addresses.get(idOf(page))];
    if (address !== undefined) rows.found.set(page, rows.rowAt(address, id));
  }
  return pages.map((page, at) => values[at] ?? read.get(idOf(page)));
}

/** Returns the values of the column at the addresses, by row id. */
export async function readColumn<Value>(
  column: CachedColumn<Value>,
  addresses: Addresses,
): Promise<ReadonlyMap<string, Value>> {
  const { table, rows, name } = column;
  const values = new Map<string, Value>();
  const unknown = new Map<string, bigint>();
  for (const [id, address] of addresses) {
    const known = rows.at(address, id);
    if (known === undefined) unknown.set(id, address);
    else values.set(id, known);
  }
  if (unknown.size === 0) return values;
  const wanted = [...unknown.values()].toSorted((one, other) => (one < other ? -1 : 1));
  const read = await table.takeRowIds(wanted).withRowId().select(["id", name]).toArrow();
  for (const [id, address, value] of valuesIn(column, read)) {
    // The address now belongs to another row.
    if (!addresses.has(id)) continue;
    rows.keep(address, id, value);
    values.set(id, value);
  }
  const there = new Set(Array.from(read.getChild("id") ?? [], String));
  // Another process has moved these rows since they were located.
  const moved = unknown
    .keys()
    .filter((id) => !there.has(id))
    .toArray();
  if (moved.length === 0) return values;
  const again = table.query().where(rowsFilter(moved)).withRowId().select(["id", name]);
  for (const [id, , value] of valuesIn(column, await again.toArrow())) values.set(id, value);
  return values;
}

/** Returns the addresses of the rows of a query that selects row ids. */
export function addressesIn(rows: ArrowTable): Addresses {
  const [ids, addresses] = [rows.getChild("id"), rows.getChild("_rowid")];
  return new Map(
    Array.from({ length: rows.numRows }, (_, at) => [String(ids?.get(at)), BigInt(addresses?.get(at))] as const),
  );
}
