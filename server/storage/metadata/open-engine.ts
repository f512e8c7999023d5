import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { unsupported } from "../../domain/errors.ts";
import type { Engine } from "./engine.ts";
import { openSqlite } from "./sqlite.ts";

/** The engine that a database URL asks for: SQLite in the data folder when there is none. */
export function openEngine(url: string | undefined, dataDir: string, clock: Clock): Engine {
  if (url === undefined) return openSqlite(join(dataDir, "metadata.sqlite"), clock);
  // The address may carry a password: only its scheme is repeated.
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(url)?.[0] ?? "this";
  throw unsupported(
    `the database address in --database-url (DRS_DATABASE_URL) is not supported by this version of drs (${scheme}:); ` +
      "unset it to keep the metadata in SQLite in the data folder",
  );
}
