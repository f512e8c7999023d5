import type { Table } from "@lancedb/lancedb";
import { createPageMap, type PageMap } from "../../../domain/page-map.ts";

/**
 * Caches the values of one column by row address, and the addresses by row id. The value at an address never changes,
 * because LanceDB moves a row to another address when it is put again or compacted. The address of a row is valid for
 * one version of the table.
 */
export interface RowsInMemory<Value> {
  /** Returns the known rows of the table in its newest version. */
  of(table: Table): Promise<CachedRows<Value>>;
}

export interface CachedRows<Value> {
  /** Addresses by row id; undefined if the row does not exist. Rows that are not in the map are unknown. */
  readonly addresses: Map<string, bigint | undefined>;
  /** The cached rows that were found by their pages in this version. */
  readonly found: PageMap<RowInMemory<Value> | undefined>;
  at(address: bigint, id: string): Value | undefined;
  /** Like `at`, for callers that store a reference to the row. */
  rowAt(address: bigint, id: string): RowInMemory<Value> | undefined;
  keep(address: bigint, id: string, value: Value): void;
}

/** A row that is, or was, in the cache. */
export interface RowInMemory<Value> {
  /** Undefined after the row has been evicted. */
  value: Value | undefined;
  /** Whether the row was used after it was cached or last considered for eviction. */
  isUsed: boolean;
}

/** Returns the value of the row and marks it as used. */
export function valueIn<Value>(row: RowInMemory<Value> | undefined): Value | undefined {
  if (row === undefined) return undefined;
  row.isUsed = true;
  return row.value;
}

interface Options<Value> {
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
}

/** Maximum number of cached addresses per table; they take some megabytes. */
const maxAddresses = 50_000;

interface CachedRow<Value> extends RowInMemory<Value> {
  readonly bytes: number;
  readonly onDrop: () => void;
}

interface LocatedRow<Value> extends CachedRow<Value> {
  readonly address: bigint;
}

/** The addresses of a table's rows in one version. */
interface Located<Value> extends Pick<CachedRows<Value>, "addresses" | "found"> {
  readonly version: number;
}

const locatedIn = <Value>(version: number): Located<Value> => ({
  version,
  addresses: new Map(),
  found: createPageMap(),
});

export function createRowsInMemory<Value>({ maxBytes, bytesOf }: Options<Value>): RowsInMemory<Value> {
  /** Rows of all tables. */
  const kept = new Set<CachedRow<Value>>();
  /**
   * An iterator at the row that is considered next for eviction. A new iterator for each eviction would have to skip
   * the places of all evicted rows.
   */
  let hand = kept.values();
  let bytes = 0;
  const tables = new WeakMap<Table, { located: Located<Value>; readonly rows: Map<string, LocatedRow<Value>> }>();

  function add(row: CachedRow<Value>): void {
    kept.add(row);
    bytes += row.bytes;
    makeRoom();
  }

  function drop(row: CachedRow<Value>): void {
    if (!kept.delete(row)) return;
    bytes -= row.bytes;
    row.value = undefined;
    row.onDrop();
  }

  /**
   * Evicts rows until the rest fits. A used row gets a second chance (CLOCK; Corbató, 1968), because moving each row
   * when it is used takes several times as long.
   */
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
        rows: new Map<string, LocatedRow<Value>>(),
      };
      tables.set(table, ofTable);
      if (ofTable.located.version !== version || ofTable.located.addresses.size > maxAddresses) {
        ofTable.located = locatedIn(version);
      }
      const { located, rows } = ofTable;
      const rowAt = (address: bigint, id: string): LocatedRow<Value> | undefined => {
        const row = rows.get(id);
        return row?.address === address ? row : undefined;
      };
      return {
        ...located,
        rowAt,
        at: (address, id) => valueIn(rowAt(address, id)),
        keep(address, id, value) {
          // A row that has moved is no longer at its previous address.
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
