import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { sql } from "kysely";
import { isBusy } from "../error-codes.ts";
import type { Clock } from "../../domain/clock.ts";
import { folderMode, makePrivateFile } from "../private-folder.ts";
import type { Engine } from "./engine.ts";
import { busyTimeoutMs, createSqliteDialect } from "./sqlite-dialect.ts";

/** Database pages of 4 KiB that one step gives back: a transaction of some milliseconds. */
const reclaimedPages = 256;

/**
 * Opens SQLite through `node:sqlite`. The file may be open in several processes at once. SQLite has no clock of its
 * own: all processes run on this host and use its clock.
 */
export function openSqlite(path: string, clock: Clock): Engine {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  // SQLite gives its log and its index the mode of the file.
  makePrivateFile(path);
  const database = openDatabase(path);
  return {
    dialect: createSqliteDialect(database),
    now: async () => clock(),
    clock: () => sql<number>`cast(${clock()} as bigint)`,
    // Statements have no time limit here.
    unhurried: (db, work) => work(db),
    isAmong: (column, few) => sql<boolean>`${column} in ${few}`,
    isoTime: (time) =>
      sql`strftime('%Y-%m-%dT%H:%M:%S.', ${time} / 1000, 'unixepoch') || printf('%03dZ', ${time} % 1000)`,
    version: readVersion(database),
    types: { bytes: sql`blob` },
    // Processes of one host use their own channels to announce work.
    announceWork: () => undefined,
    onWork: () => () => undefined,
    close: async () => undefined,
    async createTrigger(db, { name, table, after, of = [], when, run }) {
      const statements = sql.join(
        run.map((statement) => sql`${statement};`),
        sql` `,
      );
      const columns = of.length === 0 ? sql`` : sql`of ${sql.join(of.map((column) => sql.id(column)))}`;
      const condition = when === undefined ? sql`` : sql`when ${when}`;
      await sql`create trigger ${sql.id(name)} after ${sql.raw(after)} ${columns} on ${sql.table(table)} ${condition}
        begin ${statements} end`.execute(db);
    },
    foldLog() {
      return pragmaNumber(database, "wal_checkpoint(truncate)") === 0;
    },
    reclaim() {
      try {
        const free = pragmaNumber(database, "freelist_count");
        // Not through a prepared statement, which would run one step and give back one page.
        if (free > 0) database.exec(`pragma incremental_vacuum(${reclaimedPages})`);
        if (pragmaNumber(database, "freelist_count") < free) return "more";
        // Otherwise the log file stays as large as a burst of writes has made it.
        return pragmaNumber(database, "wal_checkpoint(truncate)") === 0 ? "done" : "busy";
      } catch (cause) {
        if (isBusy(cause)) return "busy";
        throw cause;
      }
    },
  };
}

function openDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path, {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
  });
  // It takes effect only before the first table exists. Later it would only write to the file, which may belong to a
  // newer version.
  if (pragmaNumber(database, "page_count") === 0) database.exec("pragma auto_vacuum = incremental");
  // FULL: an answered commit survives a power cut.
  for (const pragma of [
    "journal_mode = wal",
    "synchronous = full",
    // 2 MiB of log, and no more than that left behind after a burst.
    "wal_autocheckpoint = 512",
    "journal_size_limit = 2097152",
    "temp_store = memory",
    // From here on, WaitingConnection does the waiting.
    "busy_timeout = 0",
  ]) {
    database.exec(`pragma ${pragma}`);
  }
  return database;
}

/** The first number that a pragma returns. For a checkpoint it is 1 if another connection blocked it. */
function pragmaNumber(database: DatabaseSync, pragma: string): number {
  return numberOf(database.prepare(`pragma ${pragma}`));
}

const numberOf = (statement: StatementSync): number => Number(Object.values(statement.get() ?? {})[0]);

/**
 * One number changes with each commit of another connection, the other with each row that this one writes, committed or
 * not. Reading both takes some microseconds (https://www.sqlite.org/pragma.html#pragma_data_version).
 */
function readVersion(database: DatabaseSync): () => string | undefined {
  const others = database.prepare("pragma data_version");
  const own = database.prepare("select total_changes()");
  return () => {
    try {
      return `${numberOf(others)} ${numberOf(own)}`;
    } catch {
      // The query itself will fail with the reason.
      return undefined;
    }
  };
}
