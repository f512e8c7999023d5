import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { sql } from "kysely";
import { isBusy } from "../error-codes.ts";
import type { Clock } from "../../domain/clock.ts";
import { folderMode, makePrivateFile } from "../private-folder.ts";
import type { Engine } from "./engine.ts";
import { busyTimeoutMs, createSqliteDialect } from "./sqlite-dialect.ts";

/** Database pages of 4 KiB that one step returns to the file system; a step is a transaction of a few milliseconds. */
const reclaimedPages = 256;

/**
 * Opens SQLite through `node:sqlite`. Several processes may have the file open. SQLite has no clock, but all processes
 * run on this host and use its clock.
 */
export function openSqlite(path: string, clock: Clock): Engine {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  // SQLite gives its log and the log's index the mode of the database file.
  makePrivateFile(path);
  const database = openDatabase(path);
  return {
    dialect: createSqliteDialect(database),
    now: async () => clock(),
    clock: () => sql<number>`cast(${clock()} as bigint)`,
    // SQLite has no time limit for statements.
    unhurried: (db, work) => work(db),
    isAmong: (column, few) => sql<boolean>`${column} in ${few}`,
    isoTime: (time) =>
      sql`strftime('%Y-%m-%dT%H:%M:%S.', ${time} / 1000, 'unixepoch') || printf('%03dZ', ${time} % 1000)`,
    version: readVersion(database),
    types: { bytes: sql`blob` },
    // Processes of one host announce work through channels of their own.
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
        // A prepared statement would run only one step and return one page.
        if (free > 0) database.exec(`pragma incremental_vacuum(${reclaimedPages})`);
        if (pragmaNumber(database, "freelist_count") < free) return "more";
        // Without this, the log file stays as large as a burst of writes has made it.
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
  // This takes effect only before the first table exists. Later, it would only write to the file, which may belong to a
  // newer version.
  if (pragmaNumber(database, "page_count") === 0) database.exec("pragma auto_vacuum = incremental");
  // With "synchronous = full", a commit survives a power cut once it has been confirmed.
  for (const pragma of [
    "journal_mode = wal",
    "synchronous = full",
    // The log has 2 MiB, and is cut back to this size after a burst of writes.
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

/** Returns the first number of a pragma's result. For a checkpoint it is 1 if another connection blocked it. */
function pragmaNumber(database: DatabaseSync, pragma: string): number {
  return numberOf(database.prepare(`pragma ${pragma}`));
}

const numberOf = (statement: StatementSync): number => Number(Object.values(statement.get() ?? {})[0]);

/**
 * Returns two numbers as a text. One changes with each commit of another connection, the other with each row that this
 * connection writes, committed or not. Reading both takes some microseconds
 * (https://www.sqlite.org/pragma.html#pragma_data_version).
 */
function readVersion(database: DatabaseSync): () => string | undefined {
  const others = database.prepare("pragma data_version");
  const own = database.prepare("select total_changes()");
  return () => {
    try {
      return `${numberOf(others)} ${numberOf(own)}`;
    } catch {
      // The query that follows will fail with the reason.
      return undefined;
    }
  };
}
