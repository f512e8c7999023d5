import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { PageKey } from "../../domain/ports/vectors.ts";
import type { KnownRows } from "./rows-in-memory.ts";

/** A column of a table of which rows stay in memory once they are read. */
export interface KeptColumn<Value> {
  readonly table: Table;
  readonly rows: KnownRows<Value>;
  readonly name: string;
  /** Of the rows that have something in the column. */
  readonly idOf: (page: PageKey) => string;
  /** What Arrow gives, copied: it is part of all that was read. Throws on what is no value of the column. */
  readonly copy: (value: unknown) => Value;
}

/** The rows that a query has given with ids, addresses and the column, but for those that have nothing in it. */
export function* valuesIn<Value>(
  { name, copy }: KeptColumn<Value>,
  rows: ArrowTable,
): Generator<readonly [id: string, address: bigint, value: Value]> {
  const [ids, addresses, values] = [rows.getChild("id"), rows.getChild("_rowid"), rows.getChild(name)];
  for (let at = 0; at < rows.numRows; at++) {
    const value: unknown = values?.get(at);
    if (value !== null) yield [String(ids?.get(at)), BigInt(addresses?.get(at)), copy(value)];
  }
}
