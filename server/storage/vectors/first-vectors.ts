import type { WorkspaceId } from "../../domain/ids.ts";
import { fewChanges } from "./changes/few-changes.ts";
import type { TableChanges } from "./changes/table-changes.ts";
import type { TableLayout } from "./changes/table-layout.ts";
import { countRowsOf, followRows, readResidentRows } from "./read-resident.ts";
import { bytesOfRows, type GrowingRows, type ResidentRows } from "./resident-rows.ts";
import { type Bounds, createResidents, type Residents, usualBounds } from "./residents.ts";

/**
 * The first vectors of workspaces that are asked again and again, in memory: comparing all of them takes a part of what asking the
 * index of the table takes.
 */
export type FirstVectors = Residents<AskedRows, ResidentRows>;

interface AskedRows {
  readonly workspaceId: WorkspaceId;
  readonly dimensions: number;
}

interface ReadRows {
  readonly version: number;
  readonly bytes: number;
  readonly rows: GrowingRows;
  /** Undefined: what has changed since is not told by the table. */
  readonly layout: TableLayout | undefined;
}

/**
 * By the usual bounds some 200,000 pages of 1,024 dimensions, of all workspaces together, where each has more than 20,000. `changes`: what
 * tells what tables in a folder have changed.
 */
export function createFirstVectors(bounds: Partial<Bounds> = {}, changes?: TableChanges): FirstVectors {
  const residents = createResidents<AskedRows, ReadRows>({
    ...usualBounds,
    ...bounds,
    nameOf: ({ workspaceId }) => workspaceId,
    async read({ table, key, before, makeRoom }) {
      const layout = await changes?.layoutOf(table);
      const asked = { table, ...key, version: layout?.version };
      const count = await countRowsOf(asked);
      makeRoom(bytesOfRows(count, key.dimensions));
      const rows = await readResidentRows(asked, count, before?.rows);
      return rows && kept(rows, layout);
    },
    follow:
      changes &&
      (async ({ table, key, before: { rows, layout }, makeRoom, maxAdded }) => {
        const since = await fewChanges(changes, table, { layout, rows: rows.count }, maxAdded);
        const followed = since && (await followRows({ table, ...key, rows, makeRoom }, since));
        return followed && kept(followed, since.layout);
      }),
  });
  return { of: async (table, key) => (await residents.of(table, key))?.rows };
}

const kept = (rows: GrowingRows, layout: TableLayout | undefined): ReadRows => ({
  version: rows.version,
  bytes: rows.bytes,
  rows,
  layout,
});
