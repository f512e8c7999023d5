import type { Table } from "@lancedb/lancedb";
import { createPageMap, type PageMap } from "./page-map.ts";

/**
 * What one column has in rows that were read lately, by the rows' addresses, and where rows are. What is at an address never
 * changes: LanceDB writes a row that is put again, or folded with others, to another one. Where a row is holds for one version
 * of the table.
 */
export interface RowsInMemory<Value> {
  /** The rows of the table as they are in its newest version. */
  of(table: Table): Promise<KnownRows<Value>>;
}

export interface KnownRows<Value> {
  /** Address by row id; undefined: there is no such row. Of other rows it is not known. */
  readonly addresses: Map<string, bigint | undefined>;
  /** The rows in memory that were found by their pages in the version. */
  readonly found: PageMap<RowInMemory<Value> | undefined>;
  at(address: bigint, id: string): Value | undefined;
  /** The same, for callers that remember the row themselves. */
  rowAt(address: bigint, id: string): RowInMemory<Value> | undefined;
  keep(address: bigint, id: string, value: Value): void;
}

/** A row that is in memory, or was. */
export interface RowInMemory<Value> {
  /** Undefined once it has been dropped. */
  value: Value | undefined;
  /** Since it was kept, or considered last for being dropped. */
  isUsed: boolean;
}

/** What the row has, which counts as a use of it. */
export function valueIn<Value>(row: RowInMemory<Value> | undefined): Value | undefined {
  if (row === undefined) return undefined;
  row.isUsed = true;
  return row.value;
}

interface Options<Value> {
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
}

/** Rows of one table whose addresses are known: some megabytes. */
const maxAddresses = 50_000;

interface HeldRow<Value> extends RowInMemory<Value> {
  readonly bytes: number;
  readonly onDrop: () => void;
}

interface KeptRow<Value> extends HeldRow<Value> {
  readonly address: bigint;
}

/** Where the rows of a table are, in one version. */
interface Located<Value> extends Pick<KnownRows<Value>, "addresses" | "found"> {
  readonly version: number;
}

const locatedIn = <Value>(version: number): Located<Value> => ({
  version,
  addresses: new Map(),
  found: createPageMap(),
});

export function createRowsInMemory<Value>({ maxBytes, bytesOf }: Options<Value>): RowsInMemory<Value> {
  /** Of all tables. */
  const kept = new Set<HeldRow<Value>>();
  /** At the row that is considered next for being dropped. One that began anew each time would pass all places of rows that have been dropped. */
  let hand = kept.values();
  let bytes = 0;
  const tables = new WeakMap<Table, { located: Located<Value>; readonly rows: Map<string, KeptRow<Value>> }>();

  function add(row: HeldRow<Value>): void {
    kept.add(row);
    bytes += row.bytes;
    makeRoom();
  }

  function drop(row: HeldRow<Value>): void {
    if (!kept.delete(row)) return;
    bytes -= row.bytes;
    row.value = undefined;
    row.onDrop();
  }

  /** A row that has been used gets another turn (CLOCK; Corbató, 1968): to move each one when it is used takes several times as long. */
  function makeRoom(): void {
    while (bytes > maxBytes) {
      const next = hand.next();
      if (next.done === true) hand = kept.values();
      else if (next.value.isUsed) next.value.isUsed = false;
      else drop(next.value);
    }
  }

  return {
    async of(table) {
      const version = await table.version();
      const ofTable = tables.get(table) ?? {
        located: locatedIn<Value>(version),
        rows: new Map<string, KeptRow<Value>>(),
      };
      tables.set(table, ofTable);
      if (ofTable.located.version !== version || ofTable.located.addresses.size > maxAddresses) {
        ofTable.located = locatedIn(version);
      }
      const { located, rows } = ofTable;
      const rowAt = (address: bigint, id: string): KeptRow<Value> | undefined => {
        const row = rows.get(id);
        return row?.address === address ? row : undefined;
      };
      return {
        ...located,
        rowAt,
        at: (address, id) => valueIn(rowAt(address, id)),
        keep(address, id, value) {
          // A row that has moved is not at its old address any more.
          const before = rows.get(id);
          if (before !== undefined) drop(before);
          const row = { address, value, bytes: bytesOf(value), onDrop: () => rows.delete(id), isUsed: true };
          rows.set(id, row);
          add(row);
        },
      };
    },
  };
}
