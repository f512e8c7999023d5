import { mkdir } from "node:fs/promises";
import type { Damage } from "../../domain/ports/vectors.ts";
import { isNoTable, mayBeDamage, remoteErrorOf } from "./conflicts.ts";
import { createFolderPlace, finishRemovals } from "./folder.ts";
import { StoreError } from "../../domain/storage-fault.ts";
import type { Gate } from "./gate.ts";
import type { VectorPlace } from "./place.ts";
import type { RemoteCare } from "./s3/care.ts";
import { type Depth, repairTables } from "./repair.ts";
import { loadLance } from "./lance.ts";
import {
  type CacheBounds,
  createIndices,
  elsewhere,
  missingIndices,
  nameOf,
  openTables,
  type Tables,
} from "./tables.ts";
import { spaceOf } from "./table-names.ts";

/** Tables that are opened at the first use and mended when they turn out to be damaged. */
export interface TablesInUse {
  /** Searches; they may go on while others write. */
  read<Result>(task: (tables: Tables) => Promise<Result>): Promise<Result>;
  /** Writes; maintenance waits until they have ended. */
  write<Result>(task: (tables: Tables) => Promise<Result>): Promise<Result>;
  /** Alone in this process, but for searches. */
  alone<Result>(task: (tables: Tables) => Promise<Result>): Promise<Result>;
  repair(depth: Depth): Promise<readonly Damage[]>;
  isOpen(): boolean;
  close(): Promise<void>;
}

/** Reading every row takes long, so that what fails again and again for another reason must not cause it each time. */
const closelyAgainMs = 60_000;

interface UseOptions {
  /** The folder of the tables; undefined if they are elsewhere. */
  readonly root: string | undefined;
  /** What mends tables elsewhere; undefined: nothing. */
  readonly care: Pick<RemoteCare, "repair" | "making"> | undefined;
  readonly gate: Gate;
  readonly onDamage: (damage: Damage) => void;
  readonly caches: CacheBounds | undefined;
}

export function useTables(
  { url, connection }: VectorPlace,
  { root, care, gate, onDamage, caches }: UseOptions,
): TablesInUse {
  let opening: Promise<Tables> | undefined;
  let repairing: Promise<readonly Damage[]> | undefined;
  let closelyAt = -Infinity;

  async function openAnew(): Promise<Tables> {
    if (root === undefined) return openTables(url, { ...elsewhere, making: care?.making }, { caches, connection });
    await mend(root, "files");
    await finishRemovals(root);
    return openTables(url, createFolderPlace(root), { caches });
  }

  function open(): Promise<Tables> {
    if (opening === undefined) {
      const attempt = openAnew();
      opening = attempt;
      // The next call tries anew.
      attempt.catch(() => {
        if (opening === attempt) opening = undefined;
      });
    }
    return opening;
  }

  async function mend(folder: string, depth: Depth): Promise<readonly Damage[]> {
    await mkdir(folder, { recursive: true });
    const damage = await repairTables(folder, depth);
    damage.forEach(onDamage);
    return damage;
  }

  async function mendAll(depth: Depth): Promise<readonly Damage[]> {
    if (root !== undefined) return mend(root, depth);
    const damage = (await care?.repair()) ?? [];
    damage.forEach(onDamage);
    return damage;
  }

  /** Calls that fail at the same time share one repair. */
  function repair(depth: Depth): Promise<readonly Damage[]> {
    if (repairing !== undefined && depth === "files") return repairing;
    const attempt = gate.exclusive(async () => {
      const damage = await mendAll(depth);
      // No handle, and nothing that LanceDB remembers of a table, outlives the repair. Searches may still be using it.
      const before = opening;
      opening = undefined;
      if (root !== undefined) (await before?.catch(() => undefined))?.close();
      else if (damage.length > 0) await completeIndices(await open(), damage);
      return damage;
    });
    repairing = attempt;
    const ended = (): void => {
      if (repairing === attempt) repairing = undefined;
    };
    attempt.then(ended, ended);
    return attempt;
  }

  /** Tries again with what is left, first after a look at the files, then after one at every row. */
  async function mending<Result>(attempt: () => Promise<Result>): Promise<Result> {
    try {
      return await attempt();
    } catch (cause) {
      if (!mayBeDamage(cause)) throw cause;
      await repair("files");
    }
    try {
      return await attempt();
    } catch (cause) {
      if (!mayBeDamage(cause) || performance.now() - closelyAt < closelyAgainMs) throw cause;
      closelyAt = performance.now();
      await repair("failed");
    }
    return attempt();
  }

  /** Elsewhere, where a table may have been removed and made again by others, and the way to it may be cut. */
  async function reaching<Result>(task: () => Promise<Result>): Promise<Result> {
    const attempt = async (): Promise<Result> => {
      try {
        return await task();
      } catch (cause) {
        const failure = remoteErrorOf(cause);
        // LanceDB asks a store that has failed less and less often, as long as the connection lives. It is left to those
        // who are still using it.
        if (failure instanceof StoreError || isNoTable(cause)) opening = undefined;
        throw failure;
      }
    };
    try {
      return await attempt();
    } catch (cause) {
      if (cause instanceof StoreError || !mayBeDamage(cause)) throw cause;
      if (!isNoTable(cause)) await repair("files");
    }
    return attempt();
  }

  const trying = root === undefined ? reaching : mending;

  return {
    read: (task) => trying(async () => task(await open())),
    write: (task) => trying(() => gate.shared(async () => task(await open()))),
    alone: (task) => trying(() => gate.exclusive(async () => task(await open()))),
    repair,
    isOpen: () => opening !== undefined,
    async close() {
      const tables = await opening?.catch(() => undefined);
      tables?.close();
    },
  };
}

/** Makes the indices that damaged tables need and have lost. That of their vectors is left to maintenance: it takes long. */
async function completeIndices(tables: Tables, damage: readonly Damage[]): Promise<void> {
  const lance = await loadLance();
  const names = new Set(damage.map(({ space }) => `${space.kind}/${space.pack}/${space.name}`));
  for (const table of await tables.all()) {
    const space = spaceOf(nameOf(table));
    if (space === undefined || !names.has(`${space.kind}/${space.pack}/${space.name}`)) continue;
    await createIndices(lance, table, await missingIndices(table));
  }
}
