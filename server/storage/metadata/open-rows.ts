import { existsSync } from "node:fs";
import { join } from "node:path";
import { Kysely } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import { unsupported } from "../../domain/errors.ts";
import type { Engine } from "./engine.ts";
import { migrate, pendingMigrations, type Place } from "./migrate.ts";
import { isPostgres } from "./postgres/address.ts";
import type { Schema } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";

export interface RowsPlace {
  /** The value of `--database-url`; undefined for SQLite in the data folder. */
  readonly url: string | undefined;
  readonly dataDir: string;
}

interface RowsOptions extends RowsPlace {
  /** Replaces the store's clock; set by tests. */
  readonly clock?: Clock | undefined;
  /** Maximum number of connections of this process to a database server. */
  readonly connections?: number;
}

const defaultConnections = 2;

/** Direct access to the tables of a database, for code that works on all of them. */
export interface Rows {
  readonly db: Kysely<Schema>;
  readonly engine: Engine;
  close(): Promise<void>;
}

/** Opens a database and brings its tables up to date. */
export async function openRows(options: RowsOptions): Promise<Rows> {
  const rows = await connect(options);
  try {
    await migrate(rows.db, rows.engine, placeOf(options));
    return rows;
  } catch (cause) {
    await rows.close();
    throw cause;
  }
}

/**
 * Returns the migrations that have not run on a database; "new" if there is no database yet. Writes nothing. Throws
 * `conflict` if a newer version of drs has changed the database.
 */
export async function pendingOf(place: RowsPlace): Promise<readonly string[] | "new"> {
  if (place.url === undefined && !existsSync(join(place.dataDir, "metadata.sqlite"))) return "new";
  const { db, close } = await connect(place);
  try {
    return await pendingMigrations(db, placeOf(place));
  } finally {
    await close();
  }
}

async function connect(options: RowsOptions): Promise<Rows> {
  const engine = await openEngine(options);
  const db = new Kysely<Schema>({ dialect: engine.dialect });
  return {
    db,
    engine,
    async close() {
      await engine.close();
      await db.destroy();
    },
  };
}

function placeOf({ url, dataDir }: RowsPlace): Place {
  return url === undefined
    ? { where: `the data folder ${dataDir}`, another: "another folder with --data-dir" }
    : { where: "the metadata database", another: "another database with --database-url" };
}

/**
 * Opens the engine for a database address: SQLite in the data folder if there is none. The PostgreSQL client is loaded
 * only if needed, because its 25 or so modules slow each start of a server and of its worker.
 */
async function openEngine({ url, dataDir, clock, connections = defaultConnections }: RowsOptions): Promise<Engine> {
  if (url === undefined) return openSqlite(join(dataDir, "metadata.sqlite"), clock ?? Date.now);
  if (isPostgres(url)) {
    const { openPostgres } = await import("./postgres/engine.ts");
    return openPostgres(url, { connections, clock });
  }
  // The address may contain a password, so the message has only its scheme.
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "this";
  throw unsupported(
    `--database-url (DRS_DATABASE_URL) must be the address of a PostgreSQL server (postgres://…), not ${scheme}:; ` +
      "unset it to keep the metadata in SQLite in the data folder",
  );
}
