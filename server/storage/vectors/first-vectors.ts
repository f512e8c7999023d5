import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import { retryVanished } from "./conflicts.ts";
import { type AskedRows, countRowsOf, readResidentRows } from "./read-resident.ts";
import type { ResidentRows } from "./resident-rows.ts";
import { versionOf } from "./standing.ts";

/**
 * The first vectors of workspaces that are asked again and again, a byte a dimension, in memory: comparing all of them takes
 * a tenth of what asking the index of the table takes. They answer for the version of the table that they were read from;
 * what changes is read behind the searches, which meanwhile ask the index.
 */
export interface FirstVectors {
  /** The rows of the workspace; undefined: they are not in memory. */
  of(asked: AskedRows): Promise<ResidentRows | undefined>;
}

interface Workspace {
  resident?: ResidentRows | undefined;
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

export function createFirstVectors({ maxBytes = 128 * 2 ** 20, lastingMs = 1_000 }: Options = {}): FirstVectors {
  const tables = new WeakMap<Table, Map<WorkspaceId, Workspace>>();
  const inMemory = new Set<Workspace>();

  function workspaceOf({ table, workspaceId }: AskedRows, version: number): Workspace {
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
      held += other.resident?.bytes ?? 0;
      if (held <= maxBytes) continue;
      held -= other.resident?.bytes ?? 0;
      other.resident = undefined;
      inMemory.delete(other);
    }
    return true;
  }

  async function build(asked: AskedRows, workspace: Workspace): Promise<void> {
    const startedAt = performance.now();
    try {
      const count = await countRowsOf(asked);
      if (!makeRoom(workspace, count * asked.dimensions)) {
        workspace.isTooLarge = true;
        workspace.resident = undefined;
        inMemory.delete(workspace);
        return;
      }
      const read = await retryVanished(() => readResidentRows(asked, count, workspace.resident));
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
    async of(asked) {
      const version = await versionOf(asked.table);
      const workspace = workspaceOf(asked, version);
      const { resident } = workspace;
      if (resident?.version === version) return resident;
      const now = performance.now();
      const isDue = now - workspace.since > lastingMs && now > workspace.notBefore && !workspace.isTooLarge;
      if (isDue) workspace.building ??= build(asked, workspace);
      return undefined;
    },
  };
}
