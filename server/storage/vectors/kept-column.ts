import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { PageKey } from "../../domain/ports/vectors.ts";
import type { CachedRows } from "./rows-in-memory.ts";

/** A column of a table whose rows stay in memory once they have been read. */
export interface CachedColumn<Value> {
  readonly table: Table;
  readonly rows: CachedRows<Value>;
  readonly name: string;
  /** A filter for the rows that have a value in the column. */
  readonly idOf: (page: PageKey) => string;
  /**
   * Copies a value that Arrow returns, which is a view of everything that was read. Throws if it is no value of the
   * column.
   */
  readonly copy: (value: unknown) => Value;
}

/** The rows of a query that selects ids, addresses and the column, except rows without a value in it. */
export function* valuesIn<Value>(
  { name, copy }: CachedColumn<Value>,
  rows: ArrowTable,
): Generator<readonly [id: string, address: bigint, value: Value]> {
  const [ids, addresses, values] = [rows.getChild("id"), rows.getChild("_rowid"), rows.getChild(name)];
  for (let at = 0; at < rows.numRows; at++) {
    const value: unknown = values?.get(at);
    if (value !== null) yield [String(ids?.get(at)), BigInt(addresses?.get(at)), copy(value)];
  }
}
