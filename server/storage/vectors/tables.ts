import { setTimeout as sleep } from "node:timers/promises";
import type { Connection, ConnectionOptions, Table } from "@lancedb/lancedb";
import type { SpaceRef } from "../../domain/ports/vectors.ts";
import { isNoTable, isTableThere, retryConflicts } from "./conflicts.ts";
import { loadLance, type Lance } from "./lance.ts";
import { createRecentTables } from "./recent-tables.ts";
import { createIndexWarmer } from "./index-warmer.ts";
import { schemaOf } from "./schema.ts";
import { withSpillFolder } from "./spill-folder.ts";
import { packOf, spaceOf, tableName } from "./table-names.ts";

/** Bounds of LanceDB's caches, in bytes. */
export interface CacheBounds {
  readonly indices: number;
  readonly metadata: number;
}

/** LanceDB's own are 6 GB and 1 GB, and are filled: indices that have been replaced stay until others need the room. */
const defaultCaches: CacheBounds = { indices: 128 * 2 ** 20, metadata: 64 * 2 ** 20 };

/** The tables of a vector store: one per pack and space, made when first written. */
export interface Tables {
  /** Undefined if nothing has been written to the space. */
  find(space: SpaceRef): Promise<Table | undefined>;
  /** The same, for reads that do without what was written after `since`, by `performance.now`. Only to read from. */
  findSince(space: SpaceRef, since: number): Promise<Table | undefined>;
  findOrCreate(space: SpaceRef): Promise<Table>;
  /** Those of the pack; of every pack when undefined. */
  all(pack?: string): Promise<readonly Table[]>;
  /** The packs that have tables. */
  packs(): Promise<readonly string[]>;
  /** Removes the tables of a pack. */
  drop(pack: string): Promise<void>;
  /** What LanceDB's caches hold. */
  cachedBytes(): number;
  close(): void;
}

/** What differs between tables in a folder of this machine and elsewhere. */
export interface Place {
  /** Tells a table from a later one of the same name; undefined if there is none. */
  identify(name: string): string | undefined;
  /** Whether tables may be listed of which only some files are left, as while another process removes one. */
  readonly listsLost: boolean;
  /** Whether looking for the newest version of a table takes a request. */
  readonly isFar: boolean;
  /**
   * What differs once a version of the table has been written, at once and without LanceDB; undefined of a table that has been
   * written to so lately that another version may look the same. Elsewhere there is no such thing.
   */
  readonly glance?: (name: string) => string | undefined;
  /** Runs what makes a table while no other process makes it. */
  readonly making?: (<Result>(name: string, make: () => Promise<Result>) => Promise<Result>) | undefined;
  /** Removes a table for good. */
  remove(connection: Connection, name: string): Promise<void>;
}

/** An object store, where LanceDB does all of this itself. */
export const elsewhere: Place = {
  identify: () => "",
  listsLost: true,
  isFar: true,
  remove: (connection, name) => connection.dropTable(name),
};

/** Of the cache of indices, what one index may take that is read into it as a whole. */
const warmShare = 0.5;

interface Opening {
  readonly caches?: CacheBounds | undefined;
  readonly connection?: Partial<ConnectionOptions> | undefined;
}

export async function openTables(
  url: string,
  place: Place,
  { caches = defaultCaches, connection: options }: Opening = {},
): Promise<Tables> {
  const lance = await loadLance();
  const [session, connection, staying] = await withSpillFolder(async () => {
    const bounded = new lance.lancedb.Session(BigInt(caches.indices), BigInt(caches.metadata));
    // Among the options: version 0.39 of LanceDB passes over a session given as the third argument, and takes its defaults.
    const common = { ...options, session: bounded };
    // Every read sees what other processes have written before.
    const opened = await lance.lancedb.connect(url, { readConsistencyInterval: 0, ...common });
    return [bounded, opened, await lance.lancedb.connect(url, common)] as const;
  });
  const opened = new Map<string, { readonly identity: string | undefined; readonly table: Promise<Table> }>();

  /** Tried again if another process has removed or quarantined the table meanwhile. */
  async function openOnce(name: string, open: () => Promise<Table>): Promise<Table> {
    const identity = place.identify(name);
    const known = opened.get(name);
    if (known !== undefined && known.identity === identity) return known.table;
    const table = open().then((opening) => named(opening, name));
    opened.set(name, { identity, table });
    table.catch(() => {
      if (opened.get(name)?.table === table) opened.delete(name);
    });
    return table;
  }

  async function find(space: SpaceRef): Promise<Table | undefined> {
    const name = tableName(space);
    try {
      return await openOnce(name, () => connection.openTable(name));
    } catch (cause) {
      if (isNoTable(cause)) return undefined;
      throw cause;
    }
  }

  const warm = createIndexWarmer({ maxBytes: caches.indices * warmShare });
  const recent = createRecentTables({
    ...place,
    open: async (name) => named(await staying.openTable(name), name),
    onLook: (table) => {
      if (place.isFar && isLexical(table)) warm(table);
    },
  });

  async function openListed(name: string): Promise<Table | undefined> {
    try {
      return await openOnce(name, () => connection.openTable(name));
    } catch (cause) {
      if (place.listsLost && isNoTable(cause)) return undefined;
      throw cause;
    }
  }

  return {
    find,
    findSince: (space, since) => recent.find(tableName(space), since),

    async findOrCreate(space) {
      const found = await find(space);
      if (found === undefined) {
        const make = (): Promise<Table> => create(lance, connection, space);
        return openOnce(tableName(space), () => place.making?.(tableName(space), make) ?? make());
      }
      await untilIndexed(found);
      return found;
    },

    async all(pack) {
      const names = (await listNames(connection)).filter((name) => pack === undefined || packOf(name) === pack);
      const tables = await Promise.all(names.map(openListed));
      return tables.filter((table) => table !== undefined);
    },

    async packs() {
      return [...new Set((await listNames(connection)).map(packOf))];
    },

    async drop(pack) {
      for (const name of await listNames(connection)) {
        if (packOf(name) !== pack) continue;
        opened.delete(name);
        await place.remove(connection, name);
      }
    },

    cachedBytes: () => Number(session.sizeBytes()),

    close() {
      opened.clear();
      for (const one of [connection, staying]) {
        try {
          one.close();
        } catch {
          // A call is at work on it, and LanceDB lends it to one at a time: it goes when that has ended and nothing has it any more.
        }
      }
    },
  };
}

/** LanceDB throws when it is asked for the name of a table while another question to the table is at work. */
const names = new WeakMap<Table, string>();

export function named(table: Table, name: string): Table {
  names.set(table, name);
  return table;
}

/** The name that `named` was given. */
export function nameOf(table: Table): string {
  const name = names.get(table);
  if (name === undefined) throw new Error("a table without a name");
  return name;
}

export const isDense = (table: Table): boolean => spaceOf(nameOf(table))?.kind === "dense";
const isLexical = (table: Table): boolean => spaceOf(nameOf(table))?.kind === "lexical";

/**
 * Exactly one process makes a table, and that one makes its indices: two that made the same index at the same time
 * would leave it there twice, and the table unusable.
 */
async function create(lance: Lance, connection: Connection, space: SpaceRef): Promise<Table> {
  const name = tableName(space);
  try {
    const table = named(await connection.createEmptyTable(name, schemaOf(lance, space), { mode: "create" }), name);
    await createIndices(lance, table, await missingIndices(table));
    return table;
  } catch (cause) {
    if (!isTableThere(cause)) throw cause;
    const table = named(await connection.openTable(name), name);
    await untilIndexed(table);
    return table;
  }
}

/** How long another process may take to make the indices of an empty table; after that it counts as killed. */
const indexingMs = 5_000;
const lookAgainMs = 50;
const indexedTables = new WeakSet<Table>();

/** Waits while the process that made a table makes its indices: a merge meanwhile can leave an index there twice. */
async function untilIndexed(table: Table): Promise<void> {
  if (indexedTables.has(table)) return;
  const until = performance.now() + indexingMs;
  while ((await missingIndices(table)).length > 0 && performance.now() < until) await sleep(lookAgainMs);
  indexedTables.add(table);
}

/** The columns that should have an index and have none. */
export async function missingIndices(table: Table): Promise<string[]> {
  const indices = await table.listIndices();
  const indexed = new Set(indices.flatMap(({ columns }) => columns));
  const wanted = ["id", "workspaceId", "datasetId", ...(isLexical(table) ? ["terms"] : [])];
  return wanted.filter((column) => !indexed.has(column));
}

export async function createIndices({ lancedb }: Lance, table: Table, columns: readonly string[]): Promise<void> {
  const { Index } = lancedb;
  for (const column of columns) {
    // Few workspaces, many datasets and ids; terms are for ranking.
    const config = column === "workspaceId" ? Index.bitmap() : column === "terms" ? Index.fts(fullText) : Index.btree();
    await retryConflicts(() => table.createIndex(column, { config }));
  }
}

/** Of `terms.ts`: English stems and stop words, letters such as ß and ø folded; no positions, because phrases are not asked for. */
const fullText = {
  withPosition: false,
  baseTokenizer: "whitespace",
  language: "English",
  lowercase: true,
  stem: true,
  removeStopWords: true,
  asciiFolding: true,
  maxTokenLength: 40,
} as const;

async function listNames(connection: Connection): Promise<string[]> {
  const names: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await connection.listTables(pageToken === undefined ? {} : { pageToken });
    names.push(...page.tables);
    pageToken = page.pageToken;
  } while (pageToken !== undefined);
  return names;
}
