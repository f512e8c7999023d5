import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  sql,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type QueryResult,
  type SelectModifierNode,
  type SqliteDatabase,
  type SqliteDialectConfig,
  type SqliteStatement,
} from "kysely";
import { isBusy } from "../busy.ts";
import type { Clock } from "../../domain/clock.ts";
import { folderMode, makePrivateFile } from "../private-folder.ts";
import type { Engine } from "./engine.ts";

/** How long a write waits for another connection's transaction; those take milliseconds, so more means trouble. */
const busyTimeoutMs = 10_000;

/** Pause between two tries of a write that waits. */
const busyPauseMs = 2;

/** Prepared statements that are kept; the stores have about a hundred, those with literal page lists come and go. */
const maxStatements = 200;

/** Database pages (4 KiB) given back in one step: a transaction of some milliseconds. */
const reclaimedPages = 256;

/**
 * SQLite through `node:sqlite`: the file may be open in several processes at once. It has no clock of its own: they are
 * all on this host, and go by the host's.
 */
export function openSqlite(path: string, clock: Clock): Engine {
  mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  // Its log and its index get the mode of the file.
  makePrivateFile(path);
  const database = openDatabase(path);
  return {
    dialect: new NodeSqliteDialect({ database: preparing(database) }, () => database.isTransaction),
    now: async () => clock(),
    clock: () => sql<number>`cast(${clock()} as bigint)`,
    // Statements have no time limit here.
    unhurried: (db, work) => work(db),
    isAmong: (column, few) => sql<boolean>`${column} in ${few}`,
    isoTime: (time) =>
      sql`strftime('%Y-%m-%dT%H:%M:%S.', ${time} / 1000, 'unixepoch') || printf('%03dZ', ${time} % 1000)`,
    version: readVersion(database),
    types: { bytes: sql`blob` },
    // Processes of one host tell each other by their own channels.
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
    async dropTrigger(db, name) {
      await sql`drop trigger ${sql.id(name)}`.execute(db);
    },
    // Nothing to await: the transaction is open on this very connection.
    dropReferences: async (_, table, referenced) => dropReferences(database, table, referenced),
    foldLog() {
      return pragmaNumber(database, "wal_checkpoint(truncate)") === 0;
    },
    reclaim() {
      try {
        const free = pragmaNumber(database, "freelist_count");
        // Not through a prepared statement: that would take one step of it, which gives back one page.
        if (free > 0) database.exec(`pragma incremental_vacuum(${reclaimedPages})`);
        if (pragmaNumber(database, "freelist_count") < free) return "more";
        // The file of the log stays as large as a burst has made it.
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
  // Takes effect only before the first table exists. Later it would do nothing but write to the file, which may be a newer version's.
  if (pragmaNumber(database, "page_count") === 0) database.exec("pragma auto_vacuum = incremental");
  // FULL: an answered commit survives a power cut.
  for (const pragma of [
    "journal_mode = wal",
    "synchronous = full",
    // 2 MiB of log, and no more left behind after a burst.
    "wal_autocheckpoint = 512",
    "journal_size_limit = 2097152",
    "temp_store = memory",
    // From here on waiting is done by WaitingConnection.
    "busy_timeout = 0",
  ]) {
    database.exec(`pragma ${pragma}`);
  }
  return database;
}

/**
 * Takes the references to another table out of a table's definition, by the procedure for changes that leave the rows as
 * they are (https://www.sqlite.org/lang_altertable.html#otheralter): a million rows need not be written again.
 */
function dropReferences(database: DatabaseSync, table: string, referenced: string): void {
  const version = pragmaNumber(database, "schema_version");
  database.enableDefensive(false);
  try {
    database.exec("pragma writable_schema = on");
    database
      .prepare("update sqlite_schema set sql = replace(sql, ?, '') where type = 'table' and name = ?")
      .run(` references "${referenced}" ("${keyOf(database, table, referenced)}")`, table);
    database.exec(`pragma schema_version = ${version + 1}`);
    database.exec("pragma writable_schema = reset");
  } finally {
    database.enableDefensive(true);
  }
  if (referencesOf(database, table).some((reference) => reference["table"] === referenced)) {
    throw new Error(`${table} still refers to ${referenced}`);
  }
}

/** The column of the other table that is referred to. */
function keyOf(database: DatabaseSync, table: string, referenced: string): string {
  const reference = referencesOf(database, table).find((candidate) => candidate["table"] === referenced);
  if (reference === undefined) throw new Error(`${table} does not refer to ${referenced}`);
  return String(reference["to"]);
}

const referencesOf = (database: DatabaseSync, table: string) =>
  database.prepare("select * from pragma_foreign_key_list(?)").all(table);

/** The first number that a pragma answers with; of a checkpoint it is 1 if another connection blocked it. */
function pragmaNumber(database: DatabaseSync, pragma: string): number {
  return numberOf(database.prepare(`pragma ${pragma}`));
}

const numberOf = (statement: StatementSync): number => Number(Object.values(statement.get() ?? {})[0]);

/**
 * One number changes with what other connections commit, the other with each row that this one writes, committed or not; both
 * are read in some microseconds (https://www.sqlite.org/pragma.html#pragma_data_version).
 */
function readVersion(database: DatabaseSync): () => string | undefined {
  const others = database.prepare("pragma data_version");
  const own = database.prepare("select total_changes()");
  return () => {
    try {
      return `${numberOf(others)} ${numberOf(own)}`;
    } catch {
      // Whoever asks the database itself hears why.
      return undefined;
    }
  };
}

/** The database as Kysely wants it, with its statements prepared once. */
function preparing(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => {
      statements.clear();
      database.close();
    },
    prepare(text) {
      const known = statements.get(text);
      if (known !== undefined) statements.delete(text);
      // The first is the one that was used longest ago.
      const [oldest] = statements.keys();
      if (oldest !== undefined && statements.size >= maxStatements) statements.delete(oldest);
      const statement = known ?? adaptStatement(database.prepare(text));
      statements.set(text, statement);
      return statement;
    },
  };
}

function adaptStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toSqlValue)),
    run: (parameters) => statement.run(...parameters.map(toSqlValue)),
    iterate: (parameters) => statement.iterate(...parameters.map(toSqlValue)),
  };
}

function toSqlValue(value: unknown): SQLInputValue {
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "bigint")
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`cannot be bound to a statement: ${typeof value}`);
}

class NodeSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;
  readonly #isInTransaction: () => boolean;

  constructor(config: SqliteDialectConfig, isInTransaction: () => boolean) {
    super(config);
    this.#config = config;
    this.#isInTransaction = isInTransaction;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config, this.#isInTransaction);
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter();
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new LocklessCompiler();
  }
}

/** Takes the write lock at the start: a transaction that reads first and writes later may fail instead of waiting. */
class ImmediateDriver extends SqliteDriver {
  readonly #isInTransaction: () => boolean;

  constructor(config: SqliteDialectConfig, isInTransaction: () => boolean) {
    super(config);
    this.#isInTransaction = isInTransaction;
  }

  /** SQLite rolls back by itself on a full disk: a second rollback would fail, and its error hide the one that counts. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isInTransaction()) await super.rollbackTransaction(connection);
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return new WaitingConnection(await super.acquireConnection());
  }
}

/**
 * Waits for another connection's transaction without blocking the event loop. SQLite's own waiting blocks the thread:
 * the API would answer no request meanwhile, and a transaction of the same thread, which it waits for, could never end.
 */
class WaitingConnection implements DatabaseConnection {
  readonly #connection: DatabaseConnection;

  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const giveUpAt = performance.now() + busyTimeoutMs;
    for (;;) {
      try {
        return await this.#connection.executeQuery<Row>(query);
      } catch (cause) {
        if (!isBusy(cause) || performance.now() > giveUpAt) throw cause;
        await sleep(busyPauseMs);
      }
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.#connection.streamQuery(query, chunkSize);
  }
}

/** BEGIN IMMEDIATE admits one writer at a time: there are no locked rows, and no clauses for them (`for update`). */
class LocklessCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === undefined || !locks.has(node.modifier)) super.visitSelectModifier(node);
  }
}

const locks: ReadonlySet<string> = new Set([
  "ForUpdate",
  "ForNoKeyUpdate",
  "ForShare",
  "ForKeyShare",
  "SkipLocked",
] satisfies readonly SelectModifierNode["modifier"][]);

/** SQLite can change its schema inside a transaction, which makes two processes that migrate at once wait in line. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
