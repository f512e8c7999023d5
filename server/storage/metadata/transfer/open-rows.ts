import { existsSync } from "node:fs";
import { join } from "node:path";
import { Kysely } from "kysely";
import { migrate, pendingMigrations } from "../migrate.ts";
import { placeOf } from "../open.ts";
import { openEngine } from "../open-engine.ts";
import type { Schema } from "../schema.ts";

/** The place of a database, as for `openMetadata`. */
export interface RowsPlace {
  readonly url: string | undefined;
  readonly dataDir: string;
}

/** Direct access to the tables of a database, for code that works on all of them. */
export interface Rows {
  readonly db: Kysely<Schema>;
  close(): Promise<void>;
}

const connections = 2;

/** Opens a database and brings its tables up to date. */
export async function openRows(place: RowsPlace): Promise<Rows> {
  const engine = await openEngine({ ...place, connections });
  const db = new Kysely<Schema>({ dialect: engine.dialect });
  const close = async (): Promise<void> => {
    await engine.close();
    await db.destroy();
  };
  try {
    await migrate(db, engine, placeOf(place));
    return { db, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/**
 * The migrations that have not run on a database; "new" if there is no database yet. Writes nothing. Throws `conflict`
 * if a newer version of drs has changed it.
 */
export async function pendingOf(place: RowsPlace): Promise<readonly string[] | "new"> {
  if (place.url === undefined && !existsSync(join(place.dataDir, "metadata.sqlite"))) return "new";
  const engine = await openEngine({ ...place, connections });
  const db = new Kysely<Schema>({ dialect: engine.dialect });
  try {
    return await pendingMigrations(db, placeOf(place));
  } finally {
    await engine.close();
    await db.destroy();
  }
}
