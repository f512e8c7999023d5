import type { WorkspaceId } from "../../domain/ids.ts";
import { countRowsOf, readResidentRows } from "./read-resident.ts";
import { bytesOfRows, type ResidentRows } from "./resident-rows.ts";
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

/** By the usual bounds some 200,000 pages of 1,024 dimensions, of all workspaces together, where each has more than 20,000. */
export const createFirstVectors = (bounds: Partial<Bounds> = {}): FirstVectors =>
  createResidents<AskedRows, ResidentRows>({
    ...usualBounds,
    ...bounds,
    nameOf: ({ workspaceId }) => workspaceId,
    async read({ table, key, before, makeRoom }) {
      const asked = { table, ...key };
      const count = await countRowsOf(asked);
      makeRoom(bytesOfRows(count, key.dimensions));
      return readResidentRows(asked, count, before);
    },
  });
