import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";

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
  /** Address by workspace and row id (`keyOf`); undefined: there is no such row. Of other rows it is not known. */
  readonly addresses: Map<string, bigint | undefined>;
  /** By workspace, how many rows have been read in the version because they were not in memory. */
  readonly missed: Map<WorkspaceId, number>;
  at(address: bigint, id: string): Value | undefined;
  keep(address: bigint, id: string, value: Value): void;
}

/** Under which the address of a workspace's row is known. */
export const keyOf = (workspaceId: WorkspaceId, id: string): string => `${workspaceId} ${id}`;

interface Options<Value> {
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
}

/** Rows of one table whose addresses are known: some megabytes. */
const maxAddresses = 50_000;

export function createRowsInMemory<Value>({ maxBytes, bytesOf }: Options<Value>): RowsInMemory<Value> {
  /** Those used last come last. */
  const kept = new Map<string, { readonly address: bigint; readonly value: Value }>();
  let bytes = 0;
  const known = new WeakMap<
    Table,
    Pick<KnownRows<Value>, "version" | "addresses" | "missed"> & { readonly number: number }
  >();
  let tables = 0;

  function drop(key: string): void {
    const row = kept.get(key);
    if (row === undefined) return;
    bytes -= bytesOf(row.value);
    kept.delete(key);
  }

  return {
    async of(table) {
      const version = await table.version();
      const rows = known.get(table) ?? { number: tables++, version, addresses: new Map(), missed: new Map() };
      known.set(table, rows);
      if (rows.version !== version || rows.addresses.size > maxAddresses) {
        Object.assign(rows, { version, addresses: new Map(), missed: new Map() });
      }
      const { number, addresses, missed } = rows;
      return {
        version,
        addresses,
        missed,
        at(address, id) {
          const key = `${number} ${id}`;
          const row = kept.get(key);
          if (row?.address !== address) return undefined;
          kept.delete(key);
          kept.set(key, row);
          return row.value;
        },
        keep(address, id, value) {
          // A row that has moved is not at its old address any more.
          const key = `${number} ${id}`;
          drop(key);
          kept.set(key, { address, value });
          bytes += bytesOf(value);
          for (const oldest of kept.keys()) {
            if (bytes <= maxBytes) break;
            drop(oldest);
          }
        },
      };
    },
  };
}
