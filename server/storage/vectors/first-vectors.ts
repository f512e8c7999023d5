import type { WorkspaceId } from "../../domain/ids.ts";
import { countRowsOf, readResidentRows } from "./read-resident.ts";
import { bytesOfRows, type ResidentRows } from "./resident-rows.ts";
import { createResidents, type Residents } from "./residents.ts";

/**
 * The first vectors of workspaces that are asked again and again, in memory: comparing all of them takes a part of what asking the
 * index of the table takes.
 */
export type FirstVectors = Residents<AskedRows, ResidentRows>;

interface AskedRows {
  readonly workspaceId: WorkspaceId;
  readonly dimensions: number;
}

interface Options {
  /** Of all workspaces together, some 200,000 pages of 1,024 dimensions where each has more than 20,000. */
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
      makeRoom(bytesOfRows(count, key.dimensions));
      return readResidentRows(asked, count, before);
    },
  });
