import { type Dialect, type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Schema } from "./schema.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Everything that differs from one database to another. The queries of the stores are written once, on top of it. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * The database's clock, milliseconds since the epoch: leases and holds go by it, so that the processes that share them
   * need not agree on the time.
   */
  now(db: Kysely<Schema>): Promise<number>;
  /** The same clock as part of a statement: the time at which the statement begins. */
  clock(): RawBuilder<number>;
  /**
   * Runs work that may take long, such as a migration, on one connection whose statements have no time limit while it
   * runs.
   */
  unhurried<Result>(db: Kysely<Schema>, work: (connection: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Formats a time in milliseconds since the epoch as RFC 3339, with milliseconds and in UTC. */
  isoTime(time: RawBuilder<unknown>): RawBuilder<string>;
  /**
   * Whether the value of an indexed column is among the few values of a sub-query, each of which is looked up. A
   * database that takes them for many would scan all rows instead.
   */
  isAmong(column: RawBuilder<unknown>, few: Expression<unknown>): Expression<SqlBool>;
  /**
   * A text that changes with every write by any process; undefined if finding that out takes as long as any query.
   * Within a transaction of this process it changes before the transaction ends.
   */
  version(): string | undefined;
  /** Column types with a different name in each database. */
  readonly types: { readonly bytes: RawBuilder<unknown> };
  /**
   * Gives some of the space of removed rows back to the file system, if the database does not do so by itself. "busy"
   * means that another connection is writing.
   */
  reclaim(): "more" | "done" | "busy";
  /**
   * Writes the log, if there is one, into the database, so that its room can be used again. False if another connection
   * was in the way. Throws if the disk has no room even for that.
   */
  foldLog(): boolean;
  /**
   * Tells other processes that there is work, if the database can. The message may get lost: they also look for work by
   * themselves, only less often.
   */
  announceWork(): void;
  /** Calls the listener whenever a process has announced work, until the returned function is called. */
  onWork(listener: () => void): () => void;
  /** Closes everything that the engine holds besides the connections of the dialect. */
  close(): Promise<void>;
  /** Makes the database run statements for every row that an event changes, in the transaction of the event. */
  createTrigger(db: Kysely<unknown>, trigger: RowTrigger): Promise<void>;
}

export interface RowTrigger {
  readonly name: string;
  readonly table: string;
  readonly after: "insert" | "update" | "delete";
  /** Runs only for updates that name one of these columns. */
  readonly of?: readonly string[];
  /** Runs only for rows that meet this condition, which names rows as the statements do. */
  readonly when?: RawBuilder<unknown>;
  /** The statements; they refer to the row as `new` and `old`. */
  readonly run: readonly RawBuilder<unknown>[];
}

const mark = "/* keep plan */";

/**
 * Appended to a statement (`modifyEnd`): a connection to PostgreSQL plans it a few times and then keeps the plan. It is
 * for statements that run many times a second and have one good plan for all parameters, since planning them takes
 * longer than running them. They must name their columns: PostgreSQL rejects a plan whose `*` has come to mean more
 * columns.
 */
export const keepPlan: RawBuilder<unknown> = sql.raw(mark);

export const keepsPlan = (statement: string): boolean => statement.endsWith(mark);

/** Pause between two steps, in which other connections write; a step takes as long as one of their transactions. */
const pauseMs = 2;

/** Maximum number of steps that met another writer; then the rest is left to the next round. */
const maxBusySteps = 1_000;

/** Gives the disk space of removed rows back, step by step; stops between two steps when the signal fires. */
export async function reclaimSpace(db: Kysely<Schema>, engine: Engine, signal: AbortSignal): Promise<void> {
  let busySteps = 0;
  while (!signal.aborted && busySteps < maxBusySteps) {
    // On the connection of the queries, while none of their transactions is open on it.
    const outcome = await db.connection().execute(async () => engine.reclaim());
    if (outcome === "done") return;
    if (outcome === "busy") busySteps += 1;
    await sleep(pauseMs);
  }
}
