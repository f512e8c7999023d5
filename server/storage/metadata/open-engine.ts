import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { unsupported } from "../../domain/errors.ts";
import { isPostgres } from "./postgres/address.ts";
import type { Engine } from "./engine.ts";
import { openSqlite } from "./sqlite.ts";

export interface EngineChoice {
  /** The value of `--database-url`; undefined for SQLite in the data folder. */
  readonly url: string | undefined;
  readonly dataDir: string;
  /** Replaces the store's clock; set by tests. */
  readonly clock?: Clock | undefined;
  /** Maximum number of connections of this process to a database server. */
  readonly connections: number;
}

/**
 * Opens the engine for a database address: SQLite in the data folder if there is none. The client of PostgreSQL is
 * loaded only if it is needed: it is some 25 modules, at each start of a server and of its worker.
 */
export async function openEngine({ url, dataDir, clock, connections }: EngineChoice): Promise<Engine> {
  if (url === undefined) return openSqlite(join(dataDir, "metadata.sqlite"), clock ?? Date.now);
  if (isPostgres(url)) {
    const { openPostgres } = await import("./postgres/engine.ts");
    return openPostgres(url, { connections, clock });
  }
  // The address may carry a password: only its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "this";
  throw unsupported(
    `--database-url (DRS_DATABASE_URL) must be the address of a PostgreSQL server (postgres://…), not ${scheme}:; ` +
      "unset it to keep the metadata in SQLite in the data folder",
  );
}
