import { mkdir } from "node:fs/promises";
import type { Table } from "@lancedb/lancedb";
import type { DatasetId } from "../../domain/ids.ts";
import type { Damage, PageKey, SpaceRef, VectorSearches, VectorStore } from "../../domain/ports/vectors.ts";
import { folderMode } from "../private-folder.ts";
import { pagesMeeting } from "./conditions.ts";
import { retryVanished } from "./conflicts.ts";
import { listDamage, settleDamage } from "./damage.ts";
import { codedVectorsIn } from "./coded-rows.ts";
import { createCodesInMemory } from "./coded-search.ts";
import { scorePages, searchDense, type SearchMemory } from "./dense.ts";
import { createDurability } from "./durability.ts";
import { datasetFilter, generationFilter, rowsFilter } from "./filters.ts";
import { folderNameOf, isMarked, markTable, removeTags } from "./folder.ts";
import { createGate } from "./gate.ts";
import { removeRows } from "./included.ts";
import { searchLexical, type WordMemory } from "./lexical.ts";
import { createRemoteCare } from "./s3/care.ts";
import { maintainTable } from "./maintain.ts";
import type { VectorPlace } from "./place.ts";
import { putDense, putLexical } from "./put.ts";
import { countWords } from "./count-words.ts";
import { createTermsInMemory, findTerms, readTerms, type TermsMemory } from "./read-terms.ts";
import { listRows } from "./row-list.ts";
import { createRowFiller } from "./row-filler.ts";
import { createRowNames } from "./row-names.ts";
import { vectorsIn } from "./rows.ts";
import { openRowsOnDisk } from "./rows-on-disk.ts";
import { asKept, isCoded } from "./schema.ts";
import { tableName } from "./table-names.ts";
import { putRows, readRows } from "./transfer.ts";
import { type CacheBounds, nameOf, type Tables } from "./tables.ts";
import { useTables } from "./use.ts";

export interface LanceOptions extends VectorPlace {
  /** How long maintenance keeps old versions for their readers, milliseconds; 5 s. */
  readonly retentionMs?: number;
  /** Is told of all damage that this process finds, when it has been mended. */
  readonly onDamage?: (damage: Damage) => void;
  /** Of what is kept of the tables in memory; enough for searches among 100,000 pages by default. */
  readonly caches?: CacheBounds;
  /** Where rows of an object store are kept on this machine, and how many bytes of them; undefined: nowhere. */
  readonly rowCache?: { readonly folder: string; readonly maxBytes: number } | undefined;
}

/** Vectors and words in LanceDB, which is loaded at the first use. In a folder, writes are durable and damage is mended. */
export async function openLanceVectors({
  url,
  connection,
  s3,
  retentionMs = 5_000,
  onDamage = () => undefined,
  caches,
  rowCache,
}: LanceOptions): Promise<VectorStore> {
  const root = url.includes("://") ? undefined : url;
  if (root !== undefined) await mkdir(root, { recursive: true, mode: folderMode });
  // Maintenance waits for the writes of this process, so that what it finds unfinished was interrupted.
  const gate = createGate();
  const care = s3 && createRemoteCare(s3);
  const use = useTables({ url, connection }, { root, care, gate, onDamage, caches });
  const durability = root === undefined ? undefined : createDurability(root);
  const persist = async (table: string): Promise<void> => durability?.persist(folderNameOf(table));
  /** After the first rows, which is when there is something to miss. */
  const persistRows = async (table: string): Promise<void> => {
    await persist(table);
    if (root !== undefined && !(await isMarked(root, table))) await markTable(root, table);
  };
  const lasting = root === undefined ? undefined : { persist, removeTags: (table: string) => removeTags(root, table) };
  const names = createRowNames();
  const rowsOnDisk = rowCache && openRowsOnDisk(rowCache);
  const filler = createRowFiller({ maxBytes: rowCache?.maxBytes ?? 0 });
  const disk = rowsOnDisk && { of: (table: Table) => ({ rows: rowsOnDisk, table: `${url} ${nameOf(table)}` }) };
  const termsMemory: TermsMemory = {
    terms: createTermsInMemory(),
    disk,
    filler,
  };
  const words: WordMemory = { known: new Map(), terms: termsMemory, names };
  const memory: SearchMemory = {
    large: new Set(),
    codes: createCodesInMemory(),
    disk,
    filler,
  };

  async function* rowsOf(space: SpaceRef, datasetId?: DatasetId): AsyncGenerator<PageKey> {
    yield* await use.read(async (tables) => {
      const table = await tables.find(space);
      return table === undefined ? [] : listRows(table, datasetId);
    });
  }

  const searches = (
    read: <Result>(task: (tables: Pick<Tables, "find">) => Promise<Result>) => Promise<Result>,
  ): VectorSearches => ({
    searchDense: (space, query, scope, also) =>
      read((tables) => searchDense({ tables, ...memory }, space, query, scope, also)),
    scorePages: (space, query, pages, workspaceId) =>
      read((tables) => scorePages({ tables, ...memory }, space, query, pages, workspaceId)),
    searchLexical: (space, text, scope, also) =>
      read((tables) => searchLexical({ tables, ...words }, space, text, scope, also)),
    meeting: (space, conditions, pages, workspaceId) =>
      read((tables) => pagesMeeting({ tables, ...words }, space, { pages, conditions, workspaceId })),
    readTerms: (space, question, pages, workspaceId) =>
      read((tables) => readTerms({ tables, ...termsMemory }, space, { question, pages, workspaceId })),
    findTerms: (space, question, pages, workspaceId) =>
      read((tables) => findTerms({ tables, ...termsMemory }, space, { question, pages, workspaceId })),
    countWords: (space, question, pages, workspaceId) =>
      read((tables) => countWords({ tables, ...words }, space, { question, pages, workspaceId })),
  });

  return {
    putDense: (space, rows) =>
      use.write(async (tables) => {
        await putDense(tables, space, rows);
        await persistRows(tableName(space));
      }),
    putLexical: (space, rows) =>
      use.write(async (tables) => {
        await putLexical(tables, space, rows);
        await persistRows(tableName(space));
      }),
    ...searches(use.read),
    searching: (maxAgeMs) => {
      const since = performance.now() - maxAgeMs;
      return searches((task) =>
        use.read((tables) =>
          retryVanished(
            () => task({ find: (space) => tables.findSince(space, since) }),
            () => task(tables),
          ),
        ),
      );
    },

    vectorsOf: (space, datasetId, page, generation) =>
      use.read(async (tables) => {
        const table = await tables.find(space);
        if (table === undefined) return [];
        return retryVanished(async () => {
          const isInCodes = isCoded(await asKept(table, space));
          const rows = table
            .query()
            .where(rowsFilter([{ datasetId, page, generation }]))
            .select(isInCodes ? ["first", "codes"] : ["vectors"]);
          return isInCodes ? codedVectorsIn(await rows.toArrow()) : vectorsIn(await rows.toArrow());
        });
      }),

    removeDataset: (datasetId, { pack, generation } = {}) =>
      use.write(async (tables) => {
        const filter = generation === undefined ? datasetFilter(datasetId) : generationFilter(datasetId, generation);
        for (const table of await tables.all(pack)) {
          await removeRows(table, filter);
          // Also what an earlier try has removed that was cut off here.
          await persist(nameOf(table));
        }
      }),

    // Alone, because a write that comes meanwhile would find its table gone.
    removePack: (pack) => use.alone((tables) => tables.drop(pack)),

    packs: () => use.read((tables) => tables.packs()),

    maintain: () =>
      use.alone(async (tables) => {
        for (const table of await tables.all()) await maintainTable(table, { retentionMs, disk: lasting });
      }),

    verify: (depth = "files") => use.repair(depth),
    damage: async (maxAgeMs) => (root === undefined ? ((await care?.damage(maxAgeMs)) ?? []) : listDamage(root)),
    async settle(damage) {
      if (root === undefined) return care?.settle(damage);
      for (const each of damage) await settleDamage(root, each);
    },
    rowsOf,
    readRows: (space, datasetIds, pages) => readRows(use, space, datasetIds, pages),
    putRows: (space, rows) =>
      use.write(async (tables) => {
        await putRows(tables, space, rows);
        await persistRows(tableName(space));
      }),

    async ping() {
      // Without loading LanceDB where nothing has needed it yet.
      if (!use.isOpen() && root !== undefined) await mkdir(root, { recursive: true, mode: folderMode });
      else await use.read((tables) => tables.all());
    },

    async close() {
      await use.close();
      await rowsOnDisk?.close();
      await care?.close();
    },
  };
}
