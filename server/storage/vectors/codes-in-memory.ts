import type { Table } from "@lancedb/lancedb";

/**
 * Codes of pages that were read lately, by their rows' addresses, and where rows are. What is at an address never
 * changes: LanceDB writes a row that is put again, or folded with others, to another one; only a table that was mended may
 * begin to count again, for which the row's id is looked at as well. Where a row is holds for one version of the table.
 */
export interface CodesInMemory {
  /** The rows of the table as they are in its newest version. */
  of(table: Table): Promise<RowsInMemory>;
}

export interface RowsInMemory {
  /** Address by row id; undefined: there is no such row. Of other rows it is not known. */
  readonly addresses: Map<string, bigint | undefined>;
  codesAt(address: bigint, id: string): Uint8Array | undefined;
  keep(address: bigint, id: string, codes: Uint8Array): void;
}

/** Some nine thousand pages of text. */
const defaultBytes = 64 * 2 ** 20;
/** Rows of one table whose addresses are known: some megabytes. */
const maxAddresses = 50_000;

export function createCodesInMemory(maxBytes: number = defaultBytes): CodesInMemory {
  /** Those used last come last. */
  const kept = new Map<string, Uint8Array>();
  let bytes = 0;
  const known = new WeakMap<
    Table,
    { readonly number: number; version: number; addresses: RowsInMemory["addresses"] }
  >();
  let tables = 0;

  function drop(key: string): void {
    bytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  return {
    async of(table) {
      const version = await table.version();
      const rows = known.get(table) ?? { number: tables++, version, addresses: new Map() };
      known.set(table, rows);
      if (rows.version !== version || rows.addresses.size > maxAddresses) {
        Object.assign(rows, { version, addresses: new Map() });
      }
      const { number, addresses } = rows;
      return {
        addresses,
        codesAt(address, id) {
          const key = `${number} ${address} ${id}`;
          const codes = kept.get(key);
          if (codes === undefined) return undefined;
          kept.delete(key);
          kept.set(key, codes);
          return codes;
        },
        keep(address, id, codes) {
          const key = `${number} ${address} ${id}`;
          drop(key);
          kept.set(key, codes);
          bytes += codes.length;
          for (const oldest of kept.keys()) {
            if (bytes <= maxBytes) break;
            drop(oldest);
          }
        },
      };
    },
  };
}
