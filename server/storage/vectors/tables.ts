import { randomBytes } from "node:crypto";
import type { Connection, ConnectionOptions, Table } from "@lancedb/lancedb";
import type { SpacesOfPack } from "../../domain/ports/vector-store.ts";
import { isOfLance, remoteErrorOf } from "./failures.ts";
import { loadLance } from "./lance.ts";
import { schemaOf, spacesOf, termsColumn } from "./layout.ts";
import { withSpillFolder } from "./spill-folder.ts";

/** Bounds of LanceDB's caches, in bytes. */
export interface CacheBounds {
  readonly indices: number;
  readonly metadata: number;
}

/** LanceDB's own are 6 GB and 1 GB, and are filled: indices that have been replaced stay until others need the room. */
const defaultCaches: CacheBounds = { indices: 128 * 2 ** 20, metadata: 64 * 2 ** 20 };

/** Of what a table is, some hundred kilobytes; its indices and files are in the caches. */
const maxOpen = 256;

/** The tables of LanceDB by their names, those that were used last open. */
export interface Tables {
  /**
   * A table. With a version it is as of that or of a later one, and stays so until it is opened again; without, LanceDB looks in each
   * call which version is the newest.
   */
  open(name: string, version?: number): Promise<Table>;
  /** The next to open it reads it anew. */
  forget(name: string): void;
  create(name: string, pack: SpacesOfPack): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Every name, in no order. */
  list(): AsyncGenerator<string>;
  /** Removes a table, if it is there. */
  remove(name: string): Promise<void>;
  /** Throws if LanceDB cannot reach its place. */
  reach(): Promise<void>;
  /** What LanceDB's caches hold. */
  cachedBytes(): number;
  close(): void;
}

interface Opening {
  readonly caches?: CacheBounds | undefined;
  readonly connection?: Partial<ConnectionOptions> | undefined;
}

export async function openTables(
  url: string,
  { caches = defaultCaches, connection: options }: Opening = {},
): Promise<Tables> {
  const lance = await loadLance();
  const [session, newest, known] = await withSpillFolder(async () => {
    const bounded = new lance.lancedb.Session(BigInt(Math.floor(caches.indices)), BigInt(Math.floor(caches.metadata)));
    // Among the options: version 0.39 of LanceDB passes over a session given as the third argument, and takes its defaults.
    const connect = (more: Partial<ConnectionOptions>): Promise<Connection> =>
      remotely(() => lance.lancedb.connect(url, { ...options, ...more, session: bounded }));
    return [bounded, await connect({ readConsistencyInterval: 0 }), await connect({})] as const;
  });
  /** Those that look for a newer version in each call, and those that stay at theirs. */
  const opened = { newest: new Map<string, Promise<Table>>(), known: new Map<string, Promise<Table>>() };

  async function open(name: string, version: number | undefined): Promise<Table> {
    const tables = version === undefined ? opened.newest : opened.known;
    const opening = tables.get(name) ?? (version === undefined ? newest : known).openTable(name);
    // Entered anew: the one that was used last is the last.
    tables.delete(name);
    tables.set(name, opening);
    const [oldest] = tables.keys();
    // One that is being used goes when that has ended.
    if (tables.size > maxOpen && oldest !== undefined) tables.delete(oldest);
    try {
      const table = await opening;
      if (version !== undefined && (await table.version()) < version) await table.checkoutLatest();
      return table;
    } catch (cause) {
      if (tables.get(name) === opening) tables.delete(name);
      throw cause;
    }
  }

  async function* list(): AsyncGenerator<string> {
    let pageToken: string | undefined;
    do {
      const from = pageToken === undefined ? {} : { pageToken };
      const page = await remotely(() => newest.listTables(from));
      yield* page.tables;
      pageToken = page.pageToken;
    } while (pageToken !== undefined);
  }

  async function has(name: string): Promise<boolean> {
    for await (const there of list()) if (there === name) return true;
    return false;
  }

  async function reach(): Promise<void> {
    await remotely(() => newest.listTables({ limit: 1 }));
  }

  function forget(name: string): void {
    opened.newest.delete(name);
    opened.known.delete(name);
  }

  return {
    open,
    forget,

    create: (name, pack) =>
      remotely(async () => {
        const table = await newest.createEmptyTable(name, schemaOf(lance, pack), { mode: "create" });
        for (const space of spacesOf(pack)) {
          if (space.kind !== "lexical") continue;
          await table.createIndex(termsColumn(space), { config: lance.lancedb.Index.fts(fullText) });
        }
      }),

    async remove(name) {
      forget(name);
      try {
        await newest.dropTable(name);
      } catch (cause) {
        if (!isOfLance(cause)) throw cause;
        if (await has(name)) throw remoteErrorOf(cause);
      }
    },

    has,
    list,
    reach,

    cachedBytes: () => Number(session.sizeBytes()),

    close() {
      opened.newest.clear();
      opened.known.clear();
      for (const one of [newest, known]) {
        try {
          one.close();
        } catch {
          // A call is at work on it, and LanceDB lends it to one at a time: it goes when that has ended and nothing has it any more.
        }
      }
    },
  };
}

/** Throws what the object store has to do with as `StoreError`. */
async function remotely<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (cause) {
    throw remoteErrorOf(cause);
  }
}

export const newTableName = (): string => `rows-${randomBytes(12).toString("hex")}`;

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
