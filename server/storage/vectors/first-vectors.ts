import type { WorkspaceId } from "../../domain/ids.ts";
import { countRowsOf, readResidentRows } from "./read-resident.ts";
import type { ResidentRows } from "./resident-rows.ts";
import { createResidents, type Residents, TooLarge } from "./residents.ts";

/**
 * The first vectors of workspaces that are asked again and again, a byte a dimension, in memory: comparing all of them takes
 * a tenth of what asking the index of the table takes.
 */
export type FirstVectors = Residents<AskedRows, ResidentRows>;

interface AskedRows {
  readonly workspaceId: WorkspaceId;
  readonly dimensions: number;
}

/**
 * Of a workspace. Among 100,000 the index of the table finds the nearest in the same processor time, without 100 MB of memory, and
 * most of it in other threads.
 */
const maxRows = 50_000;

interface Options {
  /** Of all workspaces together, some 130,000 pages of 1,024 dimensions. */
  readonly maxBytes?: number;
  readonly lastingMs?: number;
}

export const createFirstVectors = ({ maxBytes = 128 * 2 ** 20, lastingMs = 1_000 }: Options = {}): FirstVectors =>
  createResidents<AskedRows, ResidentRows>({
    maxBytes,
    lastingMs,
    nameOf: ({ workspaceId }) => workspaceId,
    async read({ table, key, before, makeRoom }) {
      const asked = { table, ...key };
      const count = await countRowsOf(asked);
      if (count > maxRows) throw new TooLarge(`${count} rows`);
      makeRoom(count * key.dimensions);
      return readResidentRows(asked, count, before);
    },
  });
