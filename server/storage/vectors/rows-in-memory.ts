import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import { createPageMap, type PageMap } from "./page-map.ts";
import { versionOf } from "./standing.ts";

/**
 * What one column has in rows that were read lately, by the rows' addresses, and where rows are. What is at an address never
 * changes: LanceDB writes a row that is put again, or folded with others, to another one; only a table that was mended may
 * begin to count again, for which the row's id is looked at as well. Where a row is holds for one version of the table.
 */
export interface RowsInMemory<Value> {
  /** The rows of the table as they are in its newest version. */
  of(table: Table): Promise<KnownRows<Value>>;
}

export interface KnownRows<Value> {
  /** Of the table. */
  readonly version: number;
  /** Address by row id, of rows of the workspace; undefined: there is no such row. Of other rows it is not known. */
  addressesOf(workspaceId: WorkspaceId): Map<string, bigint | undefined>;
  /** The rows of the workspace in memory that were found by their pages in the version. */
  foundOf(workspaceId: WorkspaceId): PageMap<RowInMemory<Value> | undefined>;
  /** By workspace, how many rows have been read in the version because they were not in memory. */
  readonly missed: Map<WorkspaceId, number>;
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
interface Located<Value> extends Pick<KnownRows<Value>, "version" | "missed"> {
  readonly workspaces: Map<WorkspaceId, Map<string, bigint | undefined>>;
  readonly found: Map<WorkspaceId, PageMap<RowInMemory<Value> | undefined>>;
}

const locatedIn = <Value>(version: number): Located<Value> => ({
  version,
  workspaces: new Map(),
  found: new Map(),
  missed: new Map(),
});

const countAddresses = ({ workspaces }: Located<unknown>): number =>
  workspaces.values().reduce((sum, { size }) => sum + size, 0);

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
      const version = await versionOf(table);
      const ofTable = tables.get(table) ?? {
        located: locatedIn<Value>(version),
        rows: new Map<string, KeptRow<Value>>(),
      };
      tables.set(table, ofTable);
      if (ofTable.located.version !== version || countAddresses(ofTable.located) > maxAddresses) {
        ofTable.located = locatedIn(version);
      }
      const { located, rows } = ofTable;
      const rowAt = (address: bigint, id: string): KeptRow<Value> | undefined => {
        const row = rows.get(id);
        return row?.address === address ? row : undefined;
      };
      return {
        version,
        missed: located.missed,
        addressesOf(workspaceId) {
          const known = located.workspaces.get(workspaceId) ?? new Map<string, bigint | undefined>();
          located.workspaces.set(workspaceId, known);
          return known;
        },
        foundOf(workspaceId) {
          const found = located.found.get(workspaceId) ?? createPageMap();
          located.found.set(workspaceId, found);
          return found;
        },
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
