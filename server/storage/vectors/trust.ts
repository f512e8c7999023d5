import { setTimeout as sleep } from "node:timers/promises";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { IndexTable, IndexTables, TableOf } from "../../domain/ports/index-tables.ts";
import { isOfLance, remoteErrorOf } from "./failures.ts";
import type { Tables } from "./tables.ts";
import { loadLance } from "./lance.ts";
import { dimensionsOf } from "./layout.ts";
import { everyPartition } from "./ranking.ts";

/**
 * A table can be rebuilt from features, so all kinds of damage are handled in the same way: the table is given up. A
 * failed call is tried again, since another process may have compacted files or replaced the table in the meantime. If
 * the call keeps failing, the cause may have nothing to do with the table, such as a full disk or a query that LanceDB
 * cannot answer. The table is therefore given up only if reading all of it fails although its place can be reached.
 */

/** A table that can be used. */
interface Trusted {
  readonly table: Table;
  /** The entry of the table in the metadata. */
  readonly entry: IndexTable;
}

/** The tables that one query has looked up, with the entries that the metadata had at that time. */
export type Seen = Map<string, Promise<IndexTable | undefined>>;

export interface Trust {
  /**
   * Calls `task` with the table of the workspace in the pack, or with undefined if there is none or it has been given
   * up. The table has all writes that are recorded in the metadata, or that were recorded when `seen` was filled.
   */
  using<Result>(of: TableOf, task: (trusted: Trusted | undefined) => Promise<Result>, seen?: Seen): Promise<Result>;
  /** Like `using`, but with the newest version of the table. */
  changing<Result>(of: TableOf, task: (trusted: Trusted | undefined) => Promise<Result>): Promise<Result>;
  /** Reads a whole table, and gives it up if that fails. Returns the reason if the table was given up. */
  check(of: TableOf): Promise<string | undefined>;
}

interface Options {
  readonly catalog: Pick<IndexTables, "find" | "discard">;
  readonly open: () => Promise<Tables>;
  /** Like `open`, but with empty caches, because caches would hide the state of files. The caller closes the tables. */
  readonly openAfresh: () => Promise<Tables>;
  /** Throws if the place of the tables is not writable. */
  readonly reach: (tables: Tables) => Promise<void>;
  /** Identifies the boot of the machine; empty if writes are durable at once. */
  readonly runOfMachine: string;
  /** Called for every table that is given up. */
  readonly onGivenUp: (table: IndexTable, why: string) => void;
  readonly clock: Clock;
}

const maxAttempts = 3;
const pauseMs = 100;
/** Maximum number of attempts to read a table to which other processes keep writing. */
const maxReads = 10;
/**
 * Minimum time between two checks of a table, ms, and maximum share of the time that checks may take. Reading a whole
 * table takes long, so a call that keeps failing for another reason must not cause a check each time.
 */
const lookAgainMs = 60_000;
const shareOfLooks = 0.05;
/** Maximum number of remembered checks; they take some megabytes. */
const maxRemembered = 10_000;

export function createTrust({ catalog, open, openAfresh, reach, runOfMachine, onGivenUp, clock }: Options): Trust {
  const read: ReadWays = { openAfresh, reach };
  const doubt = createLooks(async (entry) => {
    const why = await whyUnreadable(entry, read);
    if (why !== undefined) await giveUp(entry, why);
  });

  async function find(of: TableOf): Promise<IndexTable | undefined> {
    const entry = await catalog.find(of);
    if (entry === undefined) return undefined;
    // Writes before a crash of the machine may not be durable.
    if (entry.unsyncedIn !== "" && entry.unsyncedIn !== runOfMachine) {
      await giveUp(entry, "the machine ended before all of it was on disk");
      return undefined;
    }
    return entry;
  }

  /** Returns false if the table was no longer the current one. */
  async function giveUp(entry: IndexTable, why: string): Promise<boolean> {
    const isGivenUp = await catalog.discard(entry, clock());
    if (isGivenUp) onGivenUp(entry, why);
    return isGivenUp;
  }

  /** Returns undefined if the table has been given up. */
  async function openTrusted(tables: Tables, entry: IndexTable, isNewest: boolean): Promise<Trusted | undefined> {
    const table = await tables.open(entry.name, isNewest ? undefined : entry.version);
    const version = await table.version();
    if (version >= entry.version) return { table, entry };
    tables.forget(entry.name);
    await giveUp(entry, `it is at version ${version}, and was at ${entry.version}`);
    return undefined;
  }

  async function using<Result>(
    of: TableOf,
    task: (trusted: Trusted | undefined) => Promise<Result>,
    { seen = new Map(), isNewest = false }: { readonly seen?: Seen | undefined; readonly isNewest?: boolean },
  ): Promise<Result> {
    const key = `${of.workspaceId} ${of.pack}`;
    for (let attempt = 1; ; attempt++) {
      const finding = seen.get(key) ?? find(of);
      seen.set(key, finding);
      const entry = await finding;
      if (entry === undefined) return task(undefined);
      const tables = await open();
      try {
        return await task(await openTrusted(tables, entry, isNewest));
      } catch (cause) {
        if (!isOfLance(cause) || attempt > maxAttempts) throw remoteErrorOf(cause);
        tables.forget(entry.name);
        seen.delete(key);
        if (attempt === maxAttempts) await doubt(entry);
        else await sleep(attempt * pauseMs);
      }
    }
  }

  return {
    using: (of, task, seen) => using(of, task, { seen }),
    changing: (of, task) => using(of, task, { isNewest: true }),

    async check(of) {
      const entry = await find(of);
      const why = entry && (await whyUnreadable(entry, read));
      if (entry === undefined || why === undefined) return undefined;
      return (await giveUp(entry, why)) ? why : undefined;
    },
  };
}

/**
 * Returns a function that checks tables with calls that keep failing, but limits how often it checks each table. Calls
 * that fail at the same time share one check.
 */
function createLooks(look: (entry: IndexTable) => Promise<void>): (entry: IndexTable) => Promise<void> {
  /** `until` is the time at which the next check may begin, by `performance.now`. */
  const looks = new Map<string, { readonly look: Promise<void>; until: number }>();
  return (entry) => {
    const since = performance.now();
    const before = looks.get(entry.name);
    if (before !== undefined && since < before.until) return before.look;
    if (looks.size >= maxRemembered) looks.clear();
    const current = { look: look(entry), until: Infinity };
    looks.set(entry.name, current);
    current.look.then(
      () => (current.until = since + Math.max(lookAgainMs, (performance.now() - since) / shareOfLooks)),
      () => looks.delete(entry.name),
    );
    return current.look;
  };
}

type ReadWays = Pick<Options, "openAfresh" | "reach">;

/**
 * Reads the newest version of a table. Returns the version, which is undefined if the table cannot be opened, and the
 * reason if reading fails.
 */
async function readAfresh(
  { name }: IndexTable,
  { openAfresh, reach }: ReadWays,
): Promise<{ version: number | undefined; why: string | undefined }> {
  const tables = await openAfresh();
  let version: number | undefined;
  try {
    const table = await tables.open(name);
    version = await table.version();
    await readThrough(table);
    return { version, why: undefined };
  } catch (cause) {
    if (!isOfLance(cause)) throw cause;
    await reach(tables);
    return { version, why: cause.message };
  } finally {
    tables.close();
  }
}

/** Returns why the table cannot be read completely; undefined if it can. */
async function whyUnreadable(entry: IndexTable, ways: ReadWays): Promise<string | undefined> {
  let before: number | undefined;
  for (let reads = 1; ; reads++) {
    const { version, why } = await readAfresh(entry, ways);
    // Other processes may have compacted files that were about to be read. In this case, there is a newer version
    // without these files.
    if (why === undefined || reads === maxReads || (reads > 1 && version === before)) return why;
    before = version;
  }
}

/** Reads all values and all indices of a table, which takes some seconds per GB. Throws LanceDB's errors. */
async function readThrough(table: Table): Promise<void> {
  for await (const _ of table.query()) {
    // The loop only reads the values, some thousand rows at a time.
  }
  const { lancedb } = await loadLance();
  const fields = new Map((await table.schema()).fields.map((field) => [field.name, field.type]));
  for (const { columns, indexType } of await table.listIndices()) {
    const [column = ""] = columns;
    if (indexType === "FTS") {
      await table.query().fullTextSearch(new lancedb.MatchQuery("a1", column)).limit(1).toArrow();
    } else if (indexType.startsWith("Ivf")) {
      const question = new Float32Array(dimensionsOf(fields.get(column))).fill(1);
      const query = table.query().nearestTo(question).column(column).distanceType("cosine").nprobes(everyPartition);
      await query.limit(1).toArrow();
    } else await table.countRows(`${column} = ''`);
  }
}
