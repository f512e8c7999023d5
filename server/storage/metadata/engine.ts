import { join } from "node:path";
import type { Dialect, Kysely, RawBuilder, SelectQueryBuilder } from "kysely";
import type { Clock } from "../../domain/clock.ts";
import { unsupported } from "../../domain/errors.ts";
import type { Schema } from "./schema.ts";
import { openSqlite } from "./sqlite.ts";

/** All that differs from one database to another. The queries of the stores are written once, on top of it. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * The database's clock, milliseconds since the epoch: leases and holds go by it, so that the processes that share them
   * need not agree on the time.
   */
  now(db: Kysely<Schema>): Promise<number>;
  /** Column types that databases name differently. */
  readonly types: { readonly bytes: RawBuilder<unknown> };
  /** Makes competing workers skip the row that one of them is about to claim. */
  lockForClaim<Row>(query: SelectQueryBuilder<Schema, "jobs", Row>): SelectQueryBuilder<Schema, "jobs", Row>;
  /**
   * Hands some of the space of removed rows back to the file system, where the database does not do so by itself.
   * "busy": another connection is writing.
   */
  reclaim(): "more" | "done" | "busy";
  /**
   * Writes the log into the database, so that the room it takes can be used again, where there is such a log. False if
   * another connection was in the way; throws where the disk has no room for that either.
   */
  foldLog(): boolean;
  /** Has the database run statements for every row that an event changes, in the transaction of the event. */
  createTrigger(db: Kysely<unknown>, trigger: RowTrigger): Promise<void>;
  dropTrigger(db: Kysely<unknown>, name: string, table: string): Promise<void>;
  /** Lets rows of a table refer to rows of the other that are gone; the rows stay where they are. */
  dropReferences(db: Kysely<unknown>, table: string, referenced: string): Promise<void>;
}

export interface RowTrigger {
  readonly name: string;
  readonly table: string;
  readonly after: "insert" | "update" | "delete";
  /** Only updates that name one of these columns. */
  readonly of?: readonly string[];
  /** They name the row as it is `new` and as it was `old`. */
  readonly run: readonly RawBuilder<unknown>[];
}

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
