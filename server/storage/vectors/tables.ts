import { randomBytes } from "node:crypto";
import type { Connection, ConnectionOptions, Session, Table } from "@lancedb/lancedb";
import type { SpacesOfPack } from "../../domain/ports/vector-store.ts";
import { isOfLance, remoteErrorOf } from "./failures.ts";
import { type Lance, loadLance, withSpillFolder } from "./lance.ts";
import { schemaOf, spacesOf, termsColumn } from "./layout.ts";

/** Maximum bytes of LanceDB's caches. */
export interface CacheBounds {
  readonly indices: number;
  readonly metadata: number;
}

/**
 * LanceDB's defaults of 6 GB and 1 GB would be used up, because replaced indices stay cached until others need the
 * room.
 */
const defaultCaches: CacheBounds = { indices: 128 * 2 ** 20, metadata: 64 * 2 ** 20 };

/** Maximum number of open tables. Each takes some hundred kilobytes; the caches contain its indices and files. */
const maxOpen = 256;

/** Opens and creates the tables of LanceDB by name. The most recently used ones stay open. */
export interface Tables {
  /**
   * Opens a table. With a version, the table is at that version or a later one, and stays there until it is opened
   * again. Without a version, LanceDB looks up the newest one in each call.
   */
  open(name: string, version?: number): Promise<Table>;
  /** Makes the next call of `open` read the table again. */
  forget(name: string): void;
  create(name: string, pack: SpacesOfPack): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Lists all names, in no particular order. */
  list(): AsyncGenerator<string>;
  /** Removes a table, if it exists. */
  remove(name: string): Promise<void>;
  /** Throws if LanceDB cannot reach the place where its tables are. */
  reach(): Promise<void>;
  /** Returns the number of bytes in LanceDB's caches. */
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
  const { session, newest, known } = await connect(lance, url, caches, options);
  /** Tables that look for a newer version in each call, and tables that stay at their version. */
  const opened = { newest: new Map<string, Promise<Table>>(), known: new Map<string, Promise<Table>>() };

  async function open(name: string, version: number | undefined): Promise<Table> {
    const tables = version === undefined ? opened.newest : opened.known;
    const opening = tables.get(name) ?? (version === undefined ? newest : known).openTable(name);
    // Inserted again, so that the most recently used table is last.
    tables.delete(name);
    tables.set(name, opening);
    const [oldest] = tables.keys();
    // A table that is in use is closed after its use has ended.
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

  async function has(name: string): Promise<boolean> {
    for await (const there of listNames(newest)) if (there === name) return true;
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

    create: (name, pack) => remotely(() => createTable(lance, newest, { name, pack })),

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
    list: () => listNames(newest),
    reach,

    cachedBytes: () => Number(session.sizeBytes()),

    close() {
      opened.newest.clear();
      opened.known.clear();
      for (const one of [newest, known]) {
        try {
          one.close();
        } catch {
          // A call is using the connection, and LanceDB allows only one call at a time. The connection is freed when
          // the call has ended and nothing refers to it any more.
        }
      }
    },
  };
}

/** Connects twice: for tables that look for a newer version in each call, and for tables that stay at their version. */
function connect(
  lance: Lance,
  url: string,
  caches: CacheBounds,
  options: Partial<ConnectionOptions> | undefined,
): Promise<{ readonly session: Session; readonly newest: Connection; readonly known: Connection }> {
  return withSpillFolder(async () => {
    const session = new lance.lancedb.Session(BigInt(Math.floor(caches.indices)), BigInt(Math.floor(caches.metadata)));
    // The session is passed as an option, because LanceDB 0.39 ignores it as the third argument and uses its defaults.
    const open = (more: Partial<ConnectionOptions>): Promise<Connection> =>
      remotely(() => lance.lancedb.connect(url, { ...options, ...more, session }));
    return { session, newest: await open({ readConsistencyInterval: 0 }), known: await open({}) };
  });
}

async function createTable(
  lance: Lance,
  connection: Connection,
  { name, pack }: { readonly name: string; readonly pack: SpacesOfPack },
): Promise<void> {
  const table = await connection.createEmptyTable(name, schemaOf(lance, pack), { mode: "create" });
  for (const space of spacesOf(pack)) {
    if (space.kind !== "lexical") continue;
    await table.createIndex(termsColumn(space), { config: lance.lancedb.Index.fts(fullText) });
  }
}

async function* listNames(connection: Connection): AsyncGenerator<string> {
  let pageToken: string | undefined;
  do {
    const from = pageToken === undefined ? {} : { pageToken };
    const page = await remotely(() => connection.listTables(from));
    yield* page.tables;
    pageToken = page.pageToken;
  } while (pageToken !== undefined);
}

/** Runs the task, and converts failures of the object store to `StoreError`. */
async function remotely<Result>(task: () => Promise<Result>): Promise<Result> {
  try {
    return await task();
  } catch (cause) {
    throw remoteErrorOf(cause);
  }
}

export const newTableName = (): string => `rows-${randomBytes(12).toString("hex")}`;

/**
 * The tokenizer that `terms.ts` imitates: English stems and stop words; letters such as ß and ø are folded; no
 * positions, because there are no phrase queries.
 */
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
