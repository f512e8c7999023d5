import { type Dialect, type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Schema } from "./schema.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Everything that differs between databases. The queries of the stores are written once, on top of it. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * Returns the time of the database's clock, milliseconds since the epoch. Leases and holds use it, so that the clocks
   * of the processes that share them need not agree.
   */
  now(db: Kysely<Schema>): Promise<number>;
  /** The same clock as an expression in a statement: the time at which the statement begins. */
  clock(): RawBuilder<number>;
  /**
   * Runs work that may take long, such as a migration, on one connection whose statements have no time limit while it
   * runs.
   */
  unhurried<Result>(db: Kysely<Schema>, work: (connection: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** Formats a time in milliseconds since the epoch as RFC 3339, with milliseconds and in UTC. */
  isoTime(time: RawBuilder<unknown>): RawBuilder<string>;
  /**
   * Returns a condition: the value of an indexed column is among the few values of a sub-query. The database looks up
   * each of them; if it expected many values, it would scan all rows instead.
   */
  isAmong(column: RawBuilder<unknown>, few: Expression<unknown>): Expression<SqlBool>;
  /**
   * Returns a text that changes with every write by any process, or undefined if reading it would take as long as a
   * query. If this process writes in a transaction, the text changes before the transaction ends.
   */
  version(): string | undefined;
  /** Column types with a different name in each database. */
  readonly types: { readonly bytes: RawBuilder<unknown> };
  /**
   * Returns some of the space of removed rows to the file system, if the database does not do so by itself. "busy"
   * means that another connection is writing.
   */
  reclaim(): "more" | "done" | "busy";
  /**
   * Writes the log, if there is one, into the database, so that its space can be used again. Returns false if another
   * connection prevented this. Throws if the disk has no room even for this.
   */
  foldLog(): boolean;
  /**
   * Tells other processes that there is work, if the database can. The message may get lost, so the processes also look
   * for work by themselves, but less often.
   */
  announceWork(): void;
  /** Calls the listener whenever a process has announced work, until the returned function is called. */
  onWork(listener: () => void): () => void;
  /** Closes everything that the engine has opened besides the connections of the dialect. */
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
  /** Runs only for rows that meet this condition, which refers to the row as the statements do. */
  readonly when?: RawBuilder<unknown>;
  /** The statements; they refer to the row as `new` and `old`. */
  readonly run: readonly RawBuilder<unknown>[];
}

const mark = "/* keep plan */";

/**
 * Appended to a statement (`modifyEnd`) so that a connection to PostgreSQL plans it a few times and then reuses the
 * plan. Use it for statements that run many times a second and have one good plan for all parameters, since planning
 * them takes longer than running them. They must name their columns: PostgreSQL rejects a stored plan with `*` after
 * columns have been added.
 */
export const keepPlan: RawBuilder<unknown> = sql.raw(mark);

export const keepsPlan = (statement: string): boolean => statement.endsWith(mark);

/**
 * Pause between two steps, ms, so that other connections can write. A step takes as long as one of their transactions.
 */
const pauseMs = 2;

/** Maximum number of steps that another writer prevented; the next round does the rest. */
const maxBusySteps = 1_000;

/** Returns the disk space of removed rows, step by step; stops between two steps when the signal fires. */
export async function reclaimSpace(db: Kysely<Schema>, engine: Engine, signal: AbortSignal): Promise<void> {
  let busySteps = 0;
  while (!signal.aborted && busySteps < maxBusySteps) {
    // Runs on the connection of the queries while no transaction is open on it.
    const outcome = await db.connection().execute(async () => engine.reclaim());
    if (outcome === "done") return;
    if (outcome === "busy") busySteps += 1;
    await sleep(pauseMs);
  }
}
