import { mkdir } from "node:fs/promises";
import type { VectorStore } from "../../domain/ports/vectors.ts";
import { retryConflicts, retryVanished } from "./conflicts.ts";
import { type LargeWorkspaces, scorePages, searchDense } from "./dense.ts";
import { datasetFilter, generationFilter, rowsFilter } from "./filters.ts";
import { createGate } from "./gate.ts";
import { type KnownWords, searchLexical } from "./lexical.ts";
import { maintainTable } from "./maintain.ts";
import { putDense, putLexical } from "./put.ts";
import { vectorsIn } from "./rows.ts";
import { openTables, type Tables } from "./tables.ts";

export interface LanceOptions {
  /** A folder, or an address that LanceDB knows: `s3://…`, `db://…`. */
  readonly url: string;
  /**
   * This store object is the only writer, in this and every other process: maintenance may then also remove what
   * interrupted writes have left, which otherwise stays for seven days.
   */
  readonly soleWriter?: boolean;
  /** How long maintenance leaves old versions to those who may be reading them, milliseconds; 5 s. */
  readonly retentionMs?: number;
}

/** Vectors and words in LanceDB, which is loaded at the first use. */
export async function openLanceVectors({
  url,
  soleWriter = false,
  retentionMs = 5_000,
}: LanceOptions): Promise<VectorStore> {
  const isFolder = !url.includes("://");
  if (isFolder) await mkdir(url, { recursive: true });
  let opening: Promise<Tables> | undefined;
  const open = (): Promise<Tables> => {
    if (opening === undefined) {
      opening = openTables(url);
      // The next call tries anew.
      opening.catch(() => (opening = undefined));
    }
    return opening;
  };
  // Maintenance waits for the writes of this process, so that what it sees unfinished is nobody's.
  const gate = createGate();
  const known: KnownWords = new Set();
  const large: LargeWorkspaces = new Set();

  return {
    putDense: (space, rows) => gate.shared(async () => putDense(await open(), space, rows)),
    putLexical: (space, rows) => gate.shared(async () => putLexical(await open(), space, rows)),
    searchDense: async (space, query, scope, also) =>
      searchDense({ tables: await open(), large }, space, query, scope, also),
    scorePages: async (space, query, pages, workspaceId) => scorePages(await open(), space, query, pages, workspaceId),
    searchLexical: async (space, text, scope) => searchLexical({ tables: await open(), known }, space, text, scope),

    async vectorsOf(space, datasetId, page, generation) {
      const table = await (await open()).find(space);
      if (table === undefined) return [];
      return retryVanished(async () => {
        const rows = table
          .query()
          .where(rowsFilter([{ datasetId, page, generation }]))
          .select(["vectors"]);
        return vectorsIn(await rows.toArrow());
      });
    },

    removeDataset: (datasetId, { pack, generation } = {}) =>
      gate.shared(async () => {
        const filter = generation === undefined ? datasetFilter(datasetId) : generationFilter(datasetId, generation);
        for (const table of await (await open()).all(pack)) {
          // A delete that hits nothing would still make a version.
          if ((await table.countRows(filter)) > 0) await retryConflicts(() => table.delete(filter));
        }
      }),

    // Alone, because a write that comes meanwhile would find its table gone.
    removePack: (pack) => gate.exclusive(async () => (await open()).drop(pack)),

    packs: async () => (await open()).packs(),

    maintain: () =>
      gate.exclusive(async () => {
        for (const table of await (await open()).all()) await maintainTable(table, { retentionMs, alone: soleWriter });
      }),

    async ping() {
      // Without loading LanceDB where nothing has needed it yet.
      if (opening === undefined && isFolder) await mkdir(url, { recursive: true });
      else await (await open()).all();
    },

    async close() {
      const tables = await opening?.catch(() => undefined);
      tables?.close();
    },
  };
}
