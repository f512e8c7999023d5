import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import {
  CompiledQuery,
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
import { isBusy } from "../error-codes.ts";

/**
 * Maximum time that a write waits for another connection's transaction, ms. Transactions take milliseconds, so a longer
 * wait is a fault.
 */
export const busyTimeoutMs = 10_000;

/** Pause between two tries of a write that waits. */
const busyPauseMs = 2;

/**
 * Maximum number of cached prepared statements. The stores have about a hundred; statements with literal page lists
 * exist for a short time.
 */
const maxStatements = 200;

/** Creates the Kysely dialect for a database of `node:sqlite`. */
export const createSqliteDialect = (database: DatabaseSync): SqliteDialect =>
  new NodeSqliteDialect({ database: preparing(database) }, () => database.isTransaction);

/** Adapts the database to Kysely, and prepares each statement once. */
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
      // The first statement is the least recently used one.
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

/**
 * Takes the write lock at the start, because a transaction that reads first and writes later may fail instead of
 * waiting.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #isInTransaction: () => boolean;

  constructor(config: SqliteDialectConfig, isInTransaction: () => boolean) {
    super(config);
    this.#isInTransaction = isInTransaction;
  }

  /**
   * SQLite rolls back by itself on a full disk. A second rollback would fail, and its error would hide the original
   * one.
   */
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
 * Waits for another connection's transaction without blocking the event loop. SQLite's own wait blocks the thread: the
 * API could answer no request during it, and if the other transaction belonged to the same thread, it could never end.
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

/** Leaves out row locks (`for update`), because BEGIN IMMEDIATE admits only one writer at a time. */
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

/**
 * SQLite can change its schema inside a transaction. Of two processes that migrate at the same time, one waits for the
 * other.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
