import { type Kysely, sql, type DataTypeNode, PostgresDialect, PostgresQueryCompiler } from "kysely";
import type { Clock } from "../../../domain/clock.ts";
import type { Engine, RowTrigger } from "../engine.ts";
import { readAddress } from "./address.ts";
import { createWorkSignal } from "./work-signal.ts";
import { createPool } from "./pool.ts";

interface PostgresOptions {
  /** Maximum number of connections of this process, besides the one that listens for work. */
  readonly connections: number;
  /** Replaces the database's clock; set by tests. */
  readonly clock?: Clock | undefined;
}

/**
 * Opens PostgreSQL 15 or later through `pg`. Transactions are READ COMMITTED and lock the rows that they rely on.
 * Throws `invalid` for an unusable address; does not connect yet.
 */
export function openPostgres(url: string, { connections, clock }: PostgresOptions): Engine {
  const address = readAddress(url);
  const signal = createWorkSignal(address);
  return {
    dialect: new CodePointDialect({ pool: createPool(address, connections) }),
    async now(db) {
      if (clock !== undefined) return clock();
      const { rows } = await sql<{ now: number }>`select ${databaseTime} as "now"`.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error("the database returned no time");
      return row.now;
    },
    clock: () => (clock === undefined ? databaseTime : sql<number>`cast(${clock()} as bigint)`),
    unhurried: (db, work) => db.connection().execute((connection) => unhurried(connection, work)),
    isAmong: (column, few) => sql<boolean>`${column} = any(array${few})`,
    isoTime: (time) => sql`to_char(to_timestamp(${time} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    version: () => undefined,
    types: { bytes: sql`bytea` },
    createTrigger,
    announceWork: signal.announce,
    onWork: signal.listen,
    close: signal.close,
    // The server does both by itself (autovacuum, checkpoints).
    reclaim: () => "done",
    foldLog: () => true,
  };
}

/** The time at which the statement began, so that all its rows get the same time. */
const databaseTime = sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`;
async function unhurried<Schema, Result>(
  connection: Kysely<Schema>,
  work: (connection: Kysely<Schema>) => Promise<Result>,
): Promise<Result> {
  await sql`set statement_timeout = 0`.execute(connection);
  try {
    return await work(connection);
  } finally {
    // Restores the setting of the connection. A lost connection needs no reset.
    await sql`reset statement_timeout`.execute(connection).catch(() => undefined);
  }
}

/** Creates a trigger and the function of the same name that it calls. */
async function createTrigger(
  db: Kysely<unknown>,
  { name, table, after, of = [], when, run }: RowTrigger,
): Promise<void> {
  const statements = sql.join(
    run.map((statement) => sql`${statement};`),
    sql` `,
  );
  await sql`create function ${sql.id(name)}() returns trigger language plpgsql as $body$
    begin ${statements} return null; end $body$`.execute(db);
  const columns = of.length === 0 ? sql`` : sql`of ${sql.join(of.map((column) => sql.id(column)))}`;
  const condition = when === undefined ? sql`` : sql`when (${when})`;
  await sql`create trigger ${sql.id(name)} after ${sql.raw(after)} ${columns} on ${sql.table(table)}
    for each row ${condition} execute function ${sql.id(name)}()`.execute(db);
}

/** The PostgreSQL dialect, with the behaviour that the queries and the migrations expect. */
class CodePointDialect extends PostgresDialect {
  override createQueryCompiler(): PostgresQueryCompiler {
    return new CodePointCompiler();
  }
}

/** Compares text by code points, as SQLite does, whatever the collation of the database is. */
class CodePointCompiler extends PostgresQueryCompiler {
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === "text") this.append(' collate "C"');
  }
}
