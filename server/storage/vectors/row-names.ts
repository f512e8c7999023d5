import type { Query, Table, TakeQuery } from "@lancedb/lancedb";
import type { DatasetId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { parseRowId } from "./filters.ts";

/**
 * Which rows are at which addresses, so that searches need not read the ids of what they find, which takes as long as finding
 * it. What is at an address stays there as long as there is the row.
 */
export interface RowNames {
  /** Undefined if one of the rows is not there any more. */
  of(table: Table, addresses: BigUint64Array): Promise<NamedRows | undefined>;
}

/** The rows that were asked for, by their places among them. */
export interface NamedRows {
  page(at: number): PageKey;
  datasetId(at: number): DatasetId;
}

/** One generation of a dataset's index: what the ids of its rows have in common. */
type Generation = Pick<PageKey, "datasetId" | "generation">;

interface Memory {
  readonly tables: WeakMap<Table, OfTable>;
  readonly generations: Generation[];
  /** Where each is in the list, counted from 1. */
  readonly places: Map<string, number>;
  blockCount: number;
}

interface OfTable {
  /** By the upper bits of an address. Each row has two numbers: the place of its generation, 0 if unknown, and its page. */
  readonly blocks: Map<number, Int32Array>;
  /** By `performance.now`. */
  readonly since: number;
  /** All rows have been read. */
  isRead: boolean;
}

/** Unknown rows for which all are read, once. */
const minRead = 60;
/** Rows of tables that are read as a whole, as many as have their first vectors in memory: some 250 ms. */
const maxReadRows = 130_000;
/** Few, since of a table of millions only some rows are known, which are anywhere. */
const rowsPerBlock = 64;
/** Some 12 MB: a million rows that are beside each other. */
const maxBlocks = 16_000;
/** Some 30 MB. */
const maxGenerations = 150_000;
/** A table that another process has mended may count its rows anew. */
const forgottenAfterMs = 300_000;

const emptyMemory = (): Memory => ({ tables: new WeakMap(), generations: [], places: new Map(), blockCount: 0 });

export function createRowNames(): RowNames {
  let memory = emptyMemory();
  return {
    async of(table, addresses) {
      if (memory.blockCount > maxBlocks || memory.generations.length > maxGenerations) memory = emptyMemory();
      // Another search may begin with an empty one meanwhile.
      const own = memory;
      const ofTable = knownOf(own, table);
      const halves = halvesOf(addresses);
      const unknown = addresses.filter((_, at) => placeAt(ofTable, halves, at) === 0);
      if (unknown.length > 0) {
        await read(own, ofTable, table, unknown);
        if (addresses.some((_, at) => placeAt(ofTable, halves, at) === 0)) return undefined;
      }
      return namedRows(own, ofTable, halves);
    },
  };
}

function knownOf(memory: Memory, table: Table): OfTable {
  const now = performance.now();
  const known = memory.tables.get(table);
  if (known !== undefined && now - known.since <= forgottenAfterMs) return known;
  memory.blockCount -= known?.blocks.size ?? 0;
  const ofTable = { blocks: new Map<number, Int32Array>(), since: now, isRead: false };
  memory.tables.set(table, ofTable);
  return ofTable;
}

async function read(memory: Memory, ofTable: OfTable, table: Table, unknown: BigUint64Array): Promise<void> {
  const rows = await (await queryOf(table, ofTable, unknown)).withRowId().select(["id"]).toArrow();
  const [ids, addresses] = [rows.getChild("id"), rows.getChild("_rowid")?.toArray()];
  if (!(addresses instanceof BigUint64Array)) return;
  const halves = halvesOf(addresses);
  for (let at = 0; at < addresses.length; at++) {
    const row = parseRowId(String(ids?.get(at)));
    if (row === undefined) continue;
    const key = blockOf(halves, at);
    let block = ofTable.blocks.get(key);
    if (block === undefined) {
      block = new Int32Array(2 * rowsPerBlock);
      ofTable.blocks.set(key, block);
      memory.blockCount += 1;
    }
    block[slotOf(halves, at)] = placeOf(memory, row);
    block[slotOf(halves, at) + 1] = row.page;
  }
}

/** One after the other many rows are read in less time, and from an object store with fewer requests, than some by address. */
async function queryOf(table: Table, ofTable: OfTable, unknown: BigUint64Array): Promise<Query | TakeQuery> {
  if (!ofTable.isRead && unknown.length >= minRead) {
    ofTable.isRead = true;
    if ((await table.countRows()) <= maxReadRows) return table.query();
  }
  return table.takeRowIds(Array.from(unknown).toSorted((one, other) => (one < other ? -1 : 1)));
}

function placeOf({ generations, places }: Memory, { datasetId, generation }: PageKey): number {
  const key = `${datasetId}@${generation}`;
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = generations.push({ datasetId, generation });
  places.set(key, place);
  return place;
}

function namedRows({ generations }: Memory, ofTable: OfTable, halves: Uint32Array): NamedRows {
  const generationAt = (at: number): Generation => {
    const generation = generations[placeAt(ofTable, halves, at) - 1];
    if (generation === undefined) throw new RangeError(`no row at ${at}`);
    return generation;
  };
  return {
    page: (at) => ({
      ...generationAt(at),
      page: ofTable.blocks.get(blockOf(halves, at))?.[slotOf(halves, at) + 1] ?? 0,
    }),
    datasetId: (at) => generationAt(at).datasetId,
  };
}

const placeAt = ({ blocks }: OfTable, halves: Uint32Array, at: number): number =>
  blocks.get(blockOf(halves, at))?.[slotOf(halves, at)] ?? 0;

/** The lower and the upper half of each address: numbers of 64 bits are slow one by one. */
const halvesOf = (addresses: BigUint64Array): Uint32Array =>
  new Uint32Array(addresses.buffer, addresses.byteOffset, 2 * addresses.length);

const blockOf = (halves: Uint32Array, at: number): number =>
  (halves[2 * at + 1] ?? 0) * (2 ** 32 / rowsPerBlock) + Math.floor((halves[2 * at] ?? 0) / rowsPerBlock);

const slotOf = (halves: Uint32Array, at: number): number => 2 * ((halves[2 * at] ?? 0) % rowsPerBlock);
