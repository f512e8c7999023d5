import { setTimeout as sleep } from "node:timers/promises";
import type { Table } from "@lancedb/lancedb";
import type { Clock } from "../../domain/clock.ts";
import type { IndexTable, IndexTables, TableOf } from "../../domain/ports/index-tables.ts";
import { isOfLance, remoteErrorOf } from "./failures.ts";
import { readThrough } from "./read-through.ts";
import type { Tables } from "./tables.ts";

/*
 * A table can be made again of features, so that there is one answer to all that may be wrong with one: it is given up. What fails is
 * tried again, since another process may have folded files or replaced the table meanwhile. What goes on failing may have a cause
 * that has nothing to do with the table, a full disk or a question that LanceDB cannot answer: the table is given up only if it
 * cannot be read through, in a place that can be reached.
 */

/** A table that may be used. */
export interface Trusted {
  readonly table: Table;
  /** As the metadata has it. */
  readonly entry: IndexTable;
}

/** Tables that one question has asked for, as the metadata had them then. */
export type Seen = Map<string, Promise<IndexTable | undefined>>;

export interface Trust {
  /**
   * Calls `task` with the table of the workspace in the pack, or undefined if there is none, or none any more. The table has all
   * that the metadata knows to have been written, or knew when `seen` got to know it.
   */
  using<Result>(of: TableOf, task: (trusted: Trusted | undefined) => Promise<Result>, seen?: Seen): Promise<Result>;
  /** The same with the newest version of the table. */
  changing<Result>(of: TableOf, task: (trusted: Trusted | undefined) => Promise<Result>): Promise<Result>;
  /** Reads a table through, and gives it up if that fails: then why. */
  check(of: TableOf): Promise<string | undefined>;
}

interface Options {
  readonly catalog: Pick<IndexTables, "find" | "discard">;
  readonly open: () => Promise<Tables>;
  /** The same with nothing in memory yet, which would hide what has become of files; to be closed after use. */
  readonly openAfresh: () => Promise<Tables>;
  /** Throws if the place of the tables cannot be written to. */
  readonly reach: (tables: Tables) => Promise<void>;
  /** Of this run of the machine; empty where what is written is on disk at once. */
  readonly runOfMachine: string;
  /** Is told of every table that is given up. */
  readonly onGivenUp: (table: IndexTable, why: string) => void;
  readonly clock: Clock;
}

const maxAttempts = 3;
const pauseMs = 100;
/** Of one table that others go on writing to, one after another. */
const maxReads = 10;
/**
 * Reading through a table takes long: what fails again and again for another reason must not cause it each time, nor more than so
 * much of the time.
 */
const lookAgainMs = 60_000;
const shareOfLooks = 0.05;
/** Looks that are remembered; some megabytes. */
const maxRemembered = 10_000;

export function createTrust({ catalog, open, openAfresh, reach, runOfMachine, onGivenUp, clock }: Options): Trust {
  /** `until`: when the next one may begin, by `performance.now`. */
  const looks = new Map<string, { readonly look: Promise<void>; until: number }>();

  async function find(of: TableOf): Promise<IndexTable | undefined> {
    const entry = await catalog.find(of);
    if (entry === undefined) return undefined;
    // What was written before the machine ended may not be on disk.
    if (entry.unsyncedIn !== "" && entry.unsyncedIn !== runOfMachine) {
      await giveUp(entry, "the machine ended before all of it was on disk");
      return undefined;
    }
    return entry;
  }

  /** False: it was not the table any more. */
  async function giveUp(entry: IndexTable, why: string): Promise<boolean> {
    const isGivenUp = await catalog.discard(entry, clock());
    if (isGivenUp) onGivenUp(entry, why);
    return isGivenUp;
  }

  /** Reads the newest version of a table: why that fails, if it does. Of a table that cannot be opened the version is not known. */
  async function readAfresh({ name }: IndexTable): Promise<{ version: number | undefined; why: string | undefined }> {
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

  /** Why the table cannot be read; undefined if it can. */
  async function whyUnreadable(entry: IndexTable): Promise<string | undefined> {
    let before: number | undefined;
    for (let reads = 1; ; reads++) {
      const { version, why } = await readAfresh(entry);
      // Others may have folded files that were about to be read: then there is a newer version, without them.
      if (why === undefined || reads === maxReads || (reads > 1 && version === before)) return why;
      before = version;
    }
  }

  /** Undefined: it has been given up. */
  async function openTrusted(tables: Tables, entry: IndexTable, isNewest: boolean): Promise<Trusted | undefined> {
    const table = await tables.open(entry.name, isNewest ? undefined : entry.version);
    const version = await table.version();
    if (version >= entry.version) return { table, entry };
    tables.forget(entry.name);
    await giveUp(entry, `it is at version ${version}, and was at ${entry.version}`);
    return undefined;
  }

  async function lookClosely(entry: IndexTable): Promise<void> {
    const why = await whyUnreadable(entry);
    if (why !== undefined) await giveUp(entry, why);
  }

  /** Calls that fail at the same time share one look. */
  function doubt(entry: IndexTable): Promise<void> {
    const since = performance.now();
    const before = looks.get(entry.name);
    if (before !== undefined && since < before.until) return before.look;
    if (looks.size >= maxRemembered) looks.clear();
    const current = { look: lookClosely(entry), until: Infinity };
    looks.set(entry.name, current);
    current.look.then(
      () => (current.until = since + Math.max(lookAgainMs, (performance.now() - since) / shareOfLooks)),
      () => looks.delete(entry.name),
    );
    return current.look;
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
      const why = entry && (await whyUnreadable(entry));
      if (entry === undefined || why === undefined) return undefined;
      return (await giveUp(entry, why)) ? why : undefined;
    },
  };
}
