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
  /** `isRecent`: without what other processes have written in the last second. */
  open(name: string, isRecent?: boolean): Promise<Table>;
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

/** Milliseconds after which a table that need not be the newest looks whether it is. */
export const recentMs = 1_000;

export async function openTables(
  url: string,
  { caches = defaultCaches, connection: options }: Opening = {},
): Promise<Tables> {
  const lance = await loadLance();
  const [session, newest, recent] = await withSpillFolder(async () => {
    const bounded = new lance.lancedb.Session(BigInt(Math.floor(caches.indices)), BigInt(Math.floor(caches.metadata)));
    // Among the options: version 0.39 of LanceDB passes over a session given as the third argument, and takes its defaults.
    const connect = (readConsistencyInterval: number): Promise<Connection> =>
      remotely(() => lance.lancedb.connect(url, { ...options, session: bounded, readConsistencyInterval }));
    return [bounded, await connect(0), await connect(recentMs / 1_000)] as const;
  });
  const opened = { newest: new Map<string, Promise<Table>>(), recent: new Map<string, Promise<Table>>() };

  function open(name: string, isRecent: boolean): Promise<Table> {
    const known = isRecent ? opened.recent : opened.newest;
    const table = known.get(name) ?? (isRecent ? recent : newest).openTable(name);
    // Entered anew: the one that was used last is the last.
    known.delete(name);
    known.set(name, table);
    table.catch(() => {
      if (known.get(name) === table) known.delete(name);
    });
    const [oldest] = known.keys();
    // One that is being used goes when that has ended.
    if (known.size > maxOpen && oldest !== undefined) known.delete(oldest);
    return table;
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
    opened.recent.delete(name);
  }

  return {
    open: (name, isRecent = false) => open(name, isRecent),
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
      opened.recent.clear();
      for (const one of [newest, recent]) {
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
