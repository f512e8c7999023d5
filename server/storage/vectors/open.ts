import { mkdir } from "node:fs/promises";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { GarbageStore } from "../../domain/ports/garbage.ts";
import type { IndexTable, IndexTables, TableOf } from "../../domain/ports/index-tables.ts";
import type { SpacesOfPack, VectorStore } from "../../domain/ports/vector-store.ts";
import type { SpaceRef, VectorSearches } from "../../domain/ports/vectors.ts";
import { folderMode } from "../private-folder.ts";
import { createCodesInMemory } from "./dense/coded-search.ts";
import { pagesMeeting } from "./lexical/conditions.ts";
import { scorePages, searchDense } from "./dense/search.ts";
import { datasetFilter, generationFilter } from "./filters.ts";
import { loadLance } from "./lance.ts";
import { gatherWrites, mergeRows, removeRows } from "./write.ts";
import { hasColumns, tableOfDocuments, tableOfPages } from "./layout.ts";
import { searchLexical } from "./lexical/search.ts";
import { listRows, vectorsIn } from "./rows/read-rows.ts";
import { maintain } from "./maintain.ts";
import { runOfMachine, tryToWrite } from "./on-disk.ts";
import type { VectorPlace } from "./place.ts";
import { createTermsInMemory, termsOf } from "./rows/read-terms.ts";
import { type CacheBounds, newTableName, openTables, type Tables } from "./tables.ts";
import { createTrust, type Seen } from "./trust.ts";
import { vocabularyOf, type WordMemory } from "./lexical/vocabulary.ts";

export interface LanceOptions extends VectorPlace {
  /** The list of tables, in the metadata. */
  readonly metadata: { readonly indexTables: IndexTables; readonly garbage: Pick<GarbageStore, "add"> };
  readonly clock: Clock;
  /** Milliseconds for which maintenance keeps old versions for their readers; 5 s by default. */
  readonly retentionMs?: number;
  /** Called for every table that this process gives up. */
  readonly onGivenUp?: (table: IndexTable, why: string) => void;
  /** Bounds of the memory for tables; by default enough for searches among 100,000 pages. */
  readonly caches?: CacheBounds | undefined;
  /** Names the boot of the machine during which tables are written; the current one if undefined. */
  readonly run?: string;
}

/** More milliseconds than it takes to create a table. */
const madeWithinMs = 3_600_000;
/** Number of tables of a pack that are given up together. */
const tablesAtOnce = 100;

/** Opens the vector store in LanceDB, which is loaded at the first use. */
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
  let opening: Promise<Tables> | undefined;

  function open(): Promise<Tables> {
    if (opening === undefined) {
      const attempt = openTables(url, { caches, connection });
      opening = attempt;
      // The next call tries again.
      attempt.catch(() => {
        if (opening === attempt) opening = undefined;
      });
    }
    return opening;
  }

  const trust = createTrust({
    catalog,
    open,
    // But with caches: LanceDB may wait forever for an entry that does not fit into one.
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
  if (root !== undefined) await mkdir(root, { recursive: true, mode: folderMode });

  /** Runs `write` on the table, which is created if there is none, and returns its name. */
  async function writing(of: TableOf, pack: SpacesOfPack, write: (table: Table) => Promise<void>): Promise<string> {
    for (;;) {
      const name = await trust.changing(of, async (trusted) => {
        if (trusted === undefined) return undefined;
        const { table, entry } = trusted;
        if (!(await hasColumns(table, pack))) {
          await catalog.discard(entry, clock());
          return undefined;
        }
        const noted = await catalog.noteWrite(of, unsyncedIn);
        if (noted?.name !== entry.name) return undefined;
        await write(table);
        await catalog.noteVersion(entry.name, await table.version());
        return entry.name;
      });
      if (name !== undefined) return name;
      if ((await catalog.find(of)) === undefined) await makeTable(of, pack);
    }
  }

  const merge = gatherWrites((of, pack, rows) =>
    writing(of, pack, (table) => mergeRows(table, rows, { pack, workspaceId: of.workspaceId })),
  );

  /**
   * The table is on the garbage list until the workspace refers to it, so that nothing is left of an unfinished one.
   */
  async function makeTable(of: TableOf, pack: SpacesOfPack): Promise<void> {
    const tables = await open();
    const name = newTableName();
    await garbage.add([{ kind: "table", key: name }], clock() + madeWithinMs);
    await tables.create(name, pack);
    const { name: taken } = await catalog.add({ ...of, name, unsyncedIn, version: 0 });
    if (taken !== name) await garbage.add([{ kind: "table", key: name }], clock());
  }

  /** Changes existing rows, if there are any. */
  async function changing(of: TableOf, change: (table: Table) => Promise<void>): Promise<void> {
    await trust.changing(of, async (trusted) => {
      if (trusted === undefined) return;
      const { table, entry } = trusted;
      const noted = await catalog.noteWrite(of, unsyncedIn);
      // A new table has no rows to change.
      if (noted?.name !== entry.name) return;
      await change(table);
      await catalog.noteVersion(entry.name, await table.version());
    });
  }

  function read<Result>(
    { pack }: Pick<SpaceRef, "pack">,
    workspaceId: WorkspaceId,
    task: (table: Table | undefined) => Promise<Result>,
    seen?: Seen,
  ): Promise<Result> {
    return trust.using({ workspaceId, pack }, (trusted) => task(trusted?.table), seen);
  }

  const searches = (seen?: Seen): VectorSearches => ({
    searchDense(space, query, scope, also) {
      unwatched(also);
      return read(
        space,
        scope.workspaceId,
        async (table) => (table === undefined ? [] : searchDense({ table, codes }, space, query, scope, also)),
        seen,
      );
    },
    scorePages: (space, query, pages, workspaceId) =>
      read(
        space,
        workspaceId,
        async (table) => (table === undefined ? [] : scorePages({ table, codes }, space, query, pages)),
        seen,
      ),
    searchLexical(space, text, scope, also) {
      unwatched(also);
      return read(
        space,
        scope.workspaceId,
        async (table) => (table === undefined ? [] : searchLexical({ table, ...words }, space, text, scope, also)),
        seen,
      );
    },
    meeting: (space, conditions, pages, workspaceId) =>
      read(space, workspaceId, (table) => pagesMeeting(words.terms, space, { table, pages, conditions }), seen),
    termsOf: (space, pages, workspaceId) =>
      read(
        space,
        workspaceId,
        async (table) =>
          table === undefined ? pages.map(() => undefined) : termsOf(words.terms, space, { table, pages }),
        seen,
      ),
    hasWord: (space, word, searched) =>
      read(
        space,
        searched.workspaceId,
        async (table) =>
          table !== undefined && vocabularyOf(await loadLance(), { table, space, memory: words }, searched).has(word),
        seen,
      ),
  });

  return {
    ...searches(),
    searching: () => searches(new Map()),

    async put(pack, features, index) {
      const lance = await loadLance();
      const rows = tableOfPages(lance, pack, features, index);
      return merge({ workspaceId: index.workspaceId, pack: pack.id }, pack, rows);
    },

    async putDocuments(pack, documents) {
      if (pack.reads === undefined) return;
      const lance = await loadLance();
      for (const [workspaceId, some] of Map.groupBy(documents, (row) => row.workspaceId)) {
        await merge({ workspaceId, pack: pack.id }, pack, tableOfDocuments(lance, pack, some));
      }
    },

    vectorsOf: (space, page, workspaceId) =>
      read(space, workspaceId, async (table) =>
        table === undefined ? [] : vectorsIn(table, space, page, workspaceId),
      ),

    async remove({ datasetId, generation, ...of }) {
      const filter = generation === undefined ? datasetFilter(datasetId) : generationFilter(datasetId, generation);
      await changing(of, (table) => removeRows(table, filter));
    },

    async removePack(pack) {
      for (;;) {
        const some = await catalog.ofPack(pack, tablesAtOnce);
        if (some.length === 0) return;
        for (const table of some) await catalog.discard(table, clock());
      }
    },

    removeTable: async (name) => (await open()).remove(name),

    maintain: () => maintain({ trust, catalog, root, retentionMs, clock }),
    verify: (of) => trust.check(of),

    async *rowsOf(space, workspaceId, datasetId) {
      yield* await read(space, workspaceId, async (table) =>
        table === undefined ? [] : listRows(table, space, datasetId),
      );
    },

    async ping() {
      // Does not load LanceDB if nothing has needed it yet.
      if (opening === undefined && root !== undefined) await mkdir(root, { recursive: true, mode: folderMode });
      else await (await open()).reach();
    },

    async close() {
      (await opening?.catch(() => undefined))?.close();
    },
  };
}

/** Marks a promise that is awaited later, if at all, as handled: it may reject before. */
function unwatched(promise: Promise<unknown> | undefined): void {
  promise?.catch(() => undefined);
}
