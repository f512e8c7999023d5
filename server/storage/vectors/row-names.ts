import type { Query, Table, TakeQuery } from "@lancedb/lancedb";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { parseRowId } from "./filters.ts";

/** A row that a search has found. */
export interface NamedRow {
  readonly id: string;
  readonly page: PageKey;
}

/**
 * Which rows are at which addresses, so that searches need not read the ids of what they find, which takes as long as finding
 * it. What is at an address stays there as long as there is the row.
 */
export interface RowNames {
  /** By address; rows that are not there any more are left out. */
  of(table: Table, addresses: readonly bigint[]): Promise<ReadonlyMap<bigint, NamedRow>>;
}

interface OfTable {
  readonly names: Map<bigint, NamedRow>;
  /** By `performance.now`. */
  readonly since: number;
  /** All rows have been read. */
  isRead: boolean;
}

/** Unknown rows for which all are read, once. */
const minRead = 60;
/** Some 30 MB. */
const maxNames = 100_000;
/** A table that another process has mended may count its rows anew. */
const forgottenAfterMs = 300_000;

export function createRowNames(): RowNames {
  let count = 0;
  let known = new WeakMap<Table, OfTable>();

  function namesOf(table: Table): Map<bigint, NamedRow> {
    if (count > maxNames) {
      known = new WeakMap();
      count = 0;
    }
    const now = performance.now();
    let ofTable = known.get(table);
    if (ofTable === undefined || now - ofTable.since > forgottenAfterMs) {
      ofTable = { names: new Map(), since: now, isRead: false };
      known.set(table, ofTable);
    }
    return ofTable.names;
  }

  /** One after the other many rows are read in less time, and from an object store with fewer requests, than some by address. */
  async function queryOf(table: Table, unknown: readonly bigint[]): Promise<Query | TakeQuery> {
    const ofTable = known.get(table);
    if (ofTable !== undefined && !ofTable.isRead && unknown.length >= minRead) {
      ofTable.isRead = true;
      if ((await table.countRows()) <= maxNames / 2) return table.query();
    }
    return table.takeRowIds(unknown.toSorted((one, other) => (one < other ? -1 : 1)));
  }

  return {
    async of(table, addresses) {
      const names = namesOf(table);
      const unknown = addresses.filter((address) => !names.has(address));
      if (unknown.length > 0) {
        const read = await (await queryOf(table, unknown)).withRowId().select(["id"]).toArrow();
        const [ids, found] = [read.getChild("id"), read.getChild("_rowid")];
        for (let at = 0; at < read.numRows; at++) {
          const id = String(ids?.get(at));
          const page = parseRowId(id);
          if (page !== undefined) names.set(BigInt(found?.get(at)), { id, page });
        }
        count += read.numRows;
      }
      return names;
    },
  };
}
