import { setImmediate as nextTurn } from "node:timers/promises";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import { type ByteMatrix, createByteMatrix } from "./byte-matrix.ts";
import { encodeFirst } from "./codes.ts";
import { float32 } from "./columns.ts";
import { retryVanished } from "./conflicts.ts";
import { largestAt } from "./largest-at.ts";
import { scopeFilter } from "./filters.ts";
import { versionOf } from "./standing.ts";

/**
 * The first vectors of workspaces that are asked again and again, a byte a dimension, in memory: comparing all of them takes
 * a tenth of what asking the index of the table takes. They answer for the version of the table that they were read from;
 * what changes is read behind the searches, which meanwhile ask the index.
 */
export interface FirstVectors {
  /** The rows of the workspace by how near they are; undefined: they are not in memory. */
  nearest(asked: AskedFirst, question: Float32Array): Promise<NearestRows | undefined>;
}

/** Gives the addresses of so many rows, or of all, the nearest first. */
export type NearestRows = (limit: number) => BigUint64Array;

export interface AskedFirst {
  readonly table: Table;
  readonly workspaceId: WorkspaceId;
  readonly dimensions: number;
}

interface Resident {
  readonly version: number;
  readonly matrix: ByteMatrix;
  /** Of the rows of the matrix. */
  readonly addresses: BigUint64Array;
}

interface Workspace {
  resident?: Resident | undefined;
  /** The version that was asked for last, and when it was first, by `performance.now`. */
  version: number;
  since: number;
  building?: Promise<void> | undefined;
  notBefore: number;
  /** In the version, so that its rows need not be counted again. */
  isTooLarge: boolean;
  usedAt: number;
}

interface Options {
  /** Of all workspaces together; 130,000 pages of 1,024 dimensions. */
  readonly maxBytes?: number;
  /** So long a version lasts before its rows are read: while documents are indexed, one follows the other. */
  readonly lastingMs?: number;
}

/** Reading may take a twentieth of the time. */
const pausePerReading = 20;
/** Rows that are taken together. */
const rowsPerRead = 1_000;
/** Rows after which others have their turn: some 2 ms. */
const rowsPerTurn = 250;

export function createFirstVectors({ maxBytes = 128 * 2 ** 20, lastingMs = 1_000 }: Options = {}): FirstVectors {
  const tables = new WeakMap<Table, Map<WorkspaceId, Workspace>>();
  const inMemory = new Set<Workspace>();

  function workspaceOf({ table, workspaceId }: AskedFirst, version: number): Workspace {
    const workspaces = tables.get(table) ?? new Map<WorkspaceId, Workspace>();
    tables.set(table, workspaces);
    const now = performance.now();
    const workspace = workspaces.get(workspaceId) ?? {
      version,
      since: now,
      notBefore: 0,
      isTooLarge: false,
      usedAt: now,
    };
    workspaces.set(workspaceId, workspace);
    if (workspace.version !== version) Object.assign(workspace, { version, since: now, isTooLarge: false });
    workspace.usedAt = now;
    return workspace;
  }

  /** Bytes that the others hold once those used longest ago have gone. */
  function makeRoom(own: Workspace, bytes: number): boolean {
    if (bytes > maxBytes) return false;
    const others = [...inMemory].filter((other) => other !== own).toSorted((one, other) => other.usedAt - one.usedAt);
    let held = bytes;
    for (const other of others) {
      held += bytesOf(other);
      if (held <= maxBytes) continue;
      held -= bytesOf(other);
      other.resident = undefined;
      inMemory.delete(other);
    }
    return true;
  }

  async function build(asked: AskedFirst, workspace: Workspace): Promise<void> {
    const startedAt = performance.now();
    try {
      const count = await asked.table.countRows(filterOf(asked));
      if (!makeRoom(workspace, count * asked.dimensions)) {
        workspace.isTooLarge = true;
        workspace.resident = undefined;
        inMemory.delete(workspace);
        return;
      }
      const read = await retryVanished(() => readResident(asked, count, workspace.resident));
      if (read === undefined) return;
      workspace.resident = read;
      inMemory.add(workspace);
    } catch {
      // The search that asks the index says what is wrong.
    } finally {
      const took = performance.now() - startedAt;
      workspace.notBefore = performance.now() + took * pausePerReading;
      workspace.building = undefined;
    }
  }

  return {
    async nearest(asked, question) {
      const version = await versionOf(asked.table);
      const workspace = workspaceOf(asked, version);
      const { resident } = workspace;
      if (resident?.version === version) return nearestIn(resident, question);
      const now = performance.now();
      const isDue = now - workspace.since > lastingMs && now > workspace.notBefore && !workspace.isTooLarge;
      if (isDue) workspace.building ??= build(asked, workspace);
      return undefined;
    },
  };
}

const bytesOf = ({ resident }: Workspace): number =>
  resident === undefined || resident.matrix.length === 0
    ? 0
    : resident.matrix.length * resident.matrix.valuesOf(0).values.length;

const filterOf = ({ workspaceId }: AskedFirst): string => scopeFilter({ workspaceId, datasetIds: undefined, limit: 1 });

function nearestIn({ matrix, addresses }: Resident, question: Float32Array): NearestRows {
  const products = matrix.productsWith(Float64Array.from(question));
  return (limit) => {
    const least = largestAt(products, limit);
    const rows: number[] = [];
    for (let row = 0; row < products.length; row++) if ((products[row] ?? -Infinity) >= least) rows.push(row);
    rows.sort((one, other) => (products[other] ?? 0) - (products[one] ?? 0));
    return BigUint64Array.from(rows.slice(0, limit), (row) => addresses[row] ?? 0n);
  };
}

/** Undefined if others have written meanwhile, or the space's vectors cannot be compared so. */
async function readResident(
  asked: AskedFirst,
  count: number,
  before: Resident | undefined,
): Promise<Resident | undefined> {
  const { table, dimensions } = asked;
  const version = await table.version();
  const matrix = createByteMatrix(dimensions, count);
  if (matrix === undefined) return undefined;
  const addresses = new BigUint64Array(count);
  const add = async (rows: ArrowTable): Promise<void> => {
    const [found, first] = [addressesOf(rows), rows.getChild("first")];
    for (const [at, address] of found.entries()) {
      if (matrix.length === count) return;
      addresses[matrix.length] = address;
      const { values, scale } = encodeFirst(float32(first?.get(at)?.toArray()));
      matrix.push(values, scale);
      if (at % rowsPerTurn === 0) await nextTurn();
    }
  };
  const missing = before && (await keepRows(asked, { matrix, addresses }, before));
  if (missing === undefined || missing.length > count / 2) {
    // Read one after another rather than row by row. What was kept is read again.
    return before === undefined
      ? scan(asked, { version, matrix, addresses }, add)
      : readResident(asked, count, undefined);
  }
  for (let from = 0; from < missing.length; from += rowsPerRead) {
    const some = missing.slice(from, from + rowsPerRead);
    await add(await table.takeRowIds(some).withRowId().select(["first"]).toArrow());
  }
  return whole({ version, matrix, addresses }, table);
}

type Reading = Pick<Resident, "matrix" | "addresses">;

/** Copies the rows that are still there; the addresses of the others, ascending. */
async function keepRows(asked: AskedFirst, { matrix, addresses }: Reading, before: Resident): Promise<bigint[]> {
  const rows = await asked.table.query().where(filterOf(asked)).withRowId().select(["page"]).toArrow();
  const places = new Map(Array.from(before.addresses, (address, place) => [address, place]));
  const missing: bigint[] = [];
  for (const address of addressesOf(rows).toSorted()) {
    const place = places.get(address);
    if (place === undefined || matrix.length === addresses.length) missing.push(address);
    else {
      addresses[matrix.length] = address;
      matrix.pushRowOf(before.matrix, place);
    }
  }
  return missing;
}

async function scan(
  asked: AskedFirst,
  reading: Resident,
  add: (rows: ArrowTable) => Promise<void>,
): Promise<Resident | undefined> {
  const { table } = asked;
  const count = reading.addresses.length;
  for (let from = 0; from < count; from += scannedTogether) {
    const query = table.query().where(filterOf(asked)).withRowId().select(["first"]);
    await add(await query.offset(from).limit(scannedTogether).toArrow());
  }
  // Pages of a query over rows that others move meanwhile may overlap.
  const isEachOnce = new Set(reading.addresses).size === count;
  return isEachOnce ? whole(reading, table) : undefined;
}

/** Some 16 MB. */
const scannedTogether = 8_000;

/** Undefined if others have written while it was read. */
async function whole(reading: Resident, table: Table): Promise<Resident | undefined> {
  const isWhole = reading.matrix.length === reading.addresses.length && (await table.version()) === reading.version;
  return isWhole ? reading : undefined;
}

function addressesOf(rows: ArrowTable): BigUint64Array {
  const addresses: unknown = rows.getChild("_rowid")?.toArray();
  return addresses instanceof BigUint64Array ? addresses : new BigUint64Array();
}
