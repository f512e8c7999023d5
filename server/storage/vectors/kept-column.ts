import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { KnownRows } from "./rows-in-memory.ts";
import type { RowsOnDisk } from "./rows-on-disk.ts";

/** A column of a table of which rows stay in memory once they are read. */
export interface KeptColumn<Value> {
  readonly table: Table;
  readonly workspaceId: WorkspaceId;
  readonly rows: KnownRows<Value>;
  readonly name: string;
  /** What Arrow gives, copied: it is part of all that was read. Throws on what is no value of the column. */
  readonly copy: (value: unknown) => Value;
  /** Where values are that the memory has no room for; undefined: in the table alone. */
  readonly disk?: ColumnOnDisk<Value> | undefined;
}

export interface ColumnOnDisk<Value> {
  readonly rows: RowsOnDisk;
  /** Names the table and the place where it is: no other has the same. */
  readonly table: string;
  readonly encode: (value: Value) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => Value;
  /** Is told of rows that had to be read from the table; does not throw. */
  readonly onMiss: (column: KeptColumn<Value>, read: Missed) => void;
}

/** Rows, and the bytes of their values. */
export interface Missed {
  readonly rows: number;
  readonly bytes: number;
}

/** The rows that a query has given with ids, addresses and the column. */
export function* valuesIn<Value>(
  { name, copy }: KeptColumn<Value>,
  rows: ArrowTable,
): Generator<readonly [id: string, address: bigint, value: Value]> {
  const [ids, addresses, values] = [rows.getChild("id"), rows.getChild("_rowid"), rows.getChild(name)];
  for (let at = 0; at < rows.numRows; at++) {
    yield [String(ids?.get(at)), BigInt(addresses?.get(at)), copy(values?.get(at))];
  }
}
