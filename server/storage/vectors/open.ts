import { mkdir } from "node:fs/promises";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { GarbageStore } from "../../domain/ports/garbage.ts";
import type { IndexTable, IndexTables } from "../../domain/ports/index-tables.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import type { SpaceRef, VectorSearches } from "../../domain/ports/vectors.ts";
import { folderMode } from "../private-folder.ts";
import { createCodesInMemory } from "./dense/coded-search.ts";
import { createTableWriter } from "./write.ts";
import { searchesIn } from "./searches.ts";
import { listRows, vectorsIn } from "./rows/read-rows.ts";
import { maintain } from "./maintain.ts";
import { runOfMachine, tryToWrite } from "./on-disk.ts";
import type { VectorPlace } from "./place.ts";
import { createTermsInMemory } from "./rows/read-terms.ts";
import { type CacheBounds, openTables, type Tables } from "./tables.ts";
import { createTrust, type Seen } from "./trust.ts";
import type { WordMemory } from "./lexical/vocabulary.ts";

export interface LanceOptions extends VectorPlace {
  /** Access to the list of tables, which is part of the metadata. */
  readonly metadata: { readonly indexTables: IndexTables; readonly garbage: Pick<GarbageStore, "add"> };
  readonly clock: Clock;
  /** Time for which maintenance retains old versions for their readers, ms; 5 s by default. */
  readonly retentionMs?: number;
  /** Called for every table that this process gives up. */
  readonly onGivenUp?: (table: IndexTable, why: string) => void;
  /** Limits of the memory for tables; by default enough for searches among 100,000 pages. */
  readonly caches?: CacheBounds | undefined;
  /** Identifies the boot of the machine during which tables are written; by default the current one. */
  readonly run?: string;
}

/** Number of tables of a pack that are discarded per query. */
const tablesAtOnce = 100;

/** Opens the vector store in LanceDB. LanceDB itself is loaded when it is first used. */
export async function openLanceVectors({
  url,
  connection,
  metadata: { indexTables: catalog, garbage },
  clock,
  retentionMs = 5_000,
  onGivenUp = () => undefined,
  caches,
  run = runOfMachine,
}: LanceOptions): Promise<VectorStore> {
  const root = url.includes("://") ? undefined : url;
  const unsyncedIn = root === undefined ? "" : run;
  const opened = openOnce(() => openTables(url, { caches, connection }));

  const trust = createTrust({
    catalog,
    open: opened.open,
    // These caches have the default size: LanceDB may wait forever for an entry that does not fit into a cache.
    openAfresh: () => openTables(url, { connection }),
    reach: (tables) => (root === undefined ? tables.reach() : tryToWrite(root)),
    runOfMachine: unsyncedIn,
    onGivenUp,
    clock,
  });
  const words: WordMemory = {
    known: new WeakMap(),
    terms: { pages: createTermsInMemory(), documents: createTermsInMemory() },
  };
  const codes = createCodesInMemory();
  const { put, putDocuments, remove } = createTableWriter({
    trust,
    catalog,
    garbage,
    open: opened.open,
    unsyncedIn,
    clock,
  });
  if (root !== undefined) await mkdir(root, { recursive: true, mode: folderMode });

  function read<Result>(
    { pack }: Pick<SpaceRef, "pack">,
    workspaceId: WorkspaceId,
    task: (table: Table | undefined) => Promise<Result>,
    seen?: Seen,
  ): Promise<Result> {
    return trust.using({ workspaceId, pack }, (trusted) => task(trusted?.table), seen);
  }

  const searches = (seen?: Seen): VectorSearches =>
    searchesIn((space, workspaceId, task) => read(space, workspaceId, task, seen), { codes, words });

  return {
    ...searches(),
    searching: () => searches(new Map()),
    put,
    putDocuments,
    remove,

    vectorsOf: (space, page, workspaceId) =>
      read(space, workspaceId, async (table) =>
        table === undefined ? [] : vectorsIn(table, space, page, workspaceId),
      ),

    async removePack(pack) {
      for (;;) {
        const some = await catalog.ofPack(pack, tablesAtOnce);
        if (some.length === 0) return;
        for (const table of some) await catalog.discard(table, clock());
      }
    },

    removeTable: async (name) => (await opened.open()).remove(name),

    maintain: () => maintain({ trust, catalog, root, retentionMs, clock }),
    verify: (of) => trust.check(of),

    async *rowsOf(space, workspaceId, datasetId) {
      yield* await read(space, workspaceId, async (table) =>
        table === undefined ? [] : listRows(table, space, datasetId),
      );
    },

    async ping() {
      // This does not load LanceDB if nothing has needed it yet.
      if (!opened.isOpen() && root !== undefined) await mkdir(root, { recursive: true, mode: folderMode });
      else await (await opened.open()).reach();
    },

    close: opened.close,
  };
}

/** Opens the tables at the first use, and again after a failure. */
function openOnce(openNow: () => Promise<Tables>) {
  let opening: Promise<Tables> | undefined;
  return {
    isOpen: (): boolean => opening !== undefined,
    open(): Promise<Tables> {
      if (opening === undefined) {
        const attempt = openNow();
        opening = attempt;
        // The next call tries again.
        attempt.catch(() => {
          if (opening === attempt) opening = undefined;
        });
      }
      return opening;
    },
    async close(): Promise<void> {
      (await opening?.catch(() => undefined))?.close();
    },
  };
}
