import type { Table as ArrowTable } from "apache-arrow";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { parseRowId, rowId, rowsInFilter } from "./filters.ts";
import { type ColumnOnDisk, type KeptColumn, valuesIn } from "./kept-column.ts";
import { readAhead } from "./read-ahead.ts";
import { type KnownRows, valueIn } from "./rows-in-memory.ts";

/** As far as it matters where rows are. */
type Located = Pick<KeptColumn<unknown>, "table" | "workspaceId"> & {
  readonly rows: Pick<KnownRows<unknown>, "addressesOf">;
};

/** Where rows are, by their ids. */
export type Addresses = Map<string, bigint>;

/** Rows that are looked up together. */
const rowsPerRead = 1_000;

/** Notes where rows are that the workspace was found to have. */
export function noteAddresses({ workspaceId, rows }: Located, found: Addresses): void {
  const known = rows.addressesOf(workspaceId);
  for (const [id, address] of found) known.set(id, address);
}

/** Where the rows of the pages are, of those that the workspace has. */
export async function locate(located: Located, pages: readonly PageKey[]): Promise<Addresses> {
  const { table, workspaceId, rows } = located;
  const known = rows.addressesOf(workspaceId);
  const unknown = pages.filter((page) => !known.has(rowId(page)));
  for (let from = 0; from < unknown.length; from += rowsPerRead) {
    const some = unknown.slice(from, from + rowsPerRead);
    const query = table.query().where(rowsInFilter(workspaceId, some)).withRowId().select(["id"]);
    const found = addressesIn(await query.toArrow());
    for (const page of some) known.set(rowId(page), found.get(rowId(page)));
  }
  const addresses: Addresses = new Map();
  for (const page of pages) {
    const address = known.get(rowId(page));
    if (address !== undefined) addresses.set(rowId(page), address);
  }
  return addresses;
}

/** What the column has of the pages, in their order; undefined where the workspace has no such row. */
export async function readPages<Value>(
  column: KeptColumn<Value>,
  pages: readonly PageKey[],
): Promise<readonly (Value | undefined)[]> {
  const { rows, workspaceId } = column;
  const found = rows.foundOf(workspaceId);
  const values = pages.map((page) => valueIn(found.get(page)));
  const unknown = pages.filter((_, at) => values[at] === undefined);
  if (unknown.length === 0) return values;
  const addresses = await locate(column, unknown);
  const read = await readColumn(column, addresses);
  for (const page of unknown) {
    const [id, address] = [rowId(page), addresses.get(rowId(page))];
    if (address !== undefined) found.set(page, rows.rowAt(address, id));
  }
  return pages.map((page, at) => values[at] ?? read.get(rowId(page)));
}

/** What the column has at the addresses, by row id. */
export async function readColumn<Value>(
  column: KeptColumn<Value>,
  addresses: Addresses,
): Promise<ReadonlyMap<string, Value>> {
  const { table, workspaceId, rows, name, disk } = column;
  const values = new Map<string, Value>();
  const unknown = new Map<string, bigint>();
  for (const [id, address] of addresses) {
    const known = rows.at(address, id);
    if (known === undefined) unknown.set(id, address);
    else values.set(id, known);
  }
  const unread = unknown.size === 0 ? unknown : await readFromDisk(column, unknown, values);
  if (unread.size === 0) return values;
  const wanted = [...unread.values()].toSorted((one, other) => (one < other ? -1 : 1));
  // To a disk they are brought by the filler.
  if (disk === undefined) readAhead(column, wanted.length);
  const fresh = new Map<string, Uint8Array>();
  const read = await table.takeRowIds(wanted).withRowId().select(["id", name]).toArrow();
  for (const [id, address, value] of valuesIn(column, read)) {
    // Only a table that was mended meanwhile has another row there, which may be another workspace's.
    if (!addresses.has(id)) continue;
    rows.keep(address, id, value);
    values.set(id, value);
    if (disk !== undefined) fresh.set(diskKey(column, disk, id, address), disk.encode(value));
  }
  if (disk !== undefined) {
    void disk.rows.write(fresh);
    const bytes = fresh.values().reduce((sum, { length }) => sum + length, 0);
    disk.onMiss(column, { rows: fresh.size, bytes });
  }
  // Rows that another process has moved since they were found.
  const moved = [...addresses.keys()].flatMap((id) => (values.has(id) ? [] : (parseRowId(id) ?? [])));
  if (moved.length === 0) return values;
  const again = table.query().where(rowsInFilter(workspaceId, moved)).withRowId().select(["id", name]);
  for (const [id, , value] of valuesIn(column, await again.toArrow())) values.set(id, value);
  return values;
}

/** Adds what is on disk to the values; what is not. */
async function readFromDisk<Value>(
  column: KeptColumn<Value>,
  wanted: Addresses,
  values: Map<string, Value>,
): Promise<Addresses> {
  const { disk, rows } = column;
  if (disk === undefined) return wanted;
  const keys = new Map(Array.from(wanted, ([id, address]) => [id, diskKey(column, disk, id, address)]));
  const found = await disk.rows.read([...keys.values()]);
  const missing: Addresses = new Map();
  for (const [id, address] of wanted) {
    const bytes = found.get(keys.get(id) ?? "");
    if (bytes === undefined) missing.set(id, address);
    else {
      const value = disk.decode(bytes);
      rows.keep(address, id, value);
      values.set(id, value);
    }
  }
  return missing;
}

/** What is at an address never changes, and the id says whose it is, and of which generation. */
export const diskKey = <Value>(
  { name }: KeptColumn<Value>,
  { table }: ColumnOnDisk<Value>,
  id: string,
  address: bigint,
): string => `${table} ${name} ${address} ${id}`;

/** Where the rows are that a query with row ids has given. */
export function addressesIn(rows: ArrowTable): Addresses {
  const [ids, addresses] = [rows.getChild("id"), rows.getChild("_rowid")];
  return new Map(
    Array.from({ length: rows.numRows }, (_, at) => [String(ids?.get(at)), BigInt(addresses?.get(at))] as const),
  );
}
