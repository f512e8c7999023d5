import { type Dialect, type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Schema } from "./schema.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** All that differs from one database to another. The queries of the stores are written once, on top of it. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * The database's clock, milliseconds since the epoch: leases and holds go by it, so that the processes that share them
   * need not agree on the time.
   */
  now(db: Kysely<Schema>): Promise<number>;
  /** The same clock as part of a statement: the time at which it begins. */
  clock(): RawBuilder<number>;
  /** Does what may take long, such as a migration, on one connection whose statements have no time limit meanwhile. */
  unhurried<Result>(db: Kysely<Schema>, work: (connection: Kysely<Schema>) => Promise<Result>): Promise<Result>;
  /** A time, milliseconds since the epoch, as RFC 3339 writes it, with milliseconds and in UTC. */
  isoTime(time: RawBuilder<unknown>): RawBuilder<string>;
  /**
   * Whether the value of an indexed column is among those of a sub-query, which are few: each of them is looked up. Where
   * the database thinks that they are many it would go through all rows instead.
   */
  isAmong(column: RawBuilder<unknown>, few: Expression<unknown>): Expression<SqlBool>;
  /**
   * Changes with every write, of whichever process; undefined where to find that out takes as long as any question. Within the
   * transactions of this process it changes before they end.
   */
  version(): string | undefined;
  /** Column types that databases name differently. */
  readonly types: { readonly bytes: RawBuilder<unknown> };
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
  /**
   * Tells other processes that there is work, where the database can. It may get lost: they look for work by themselves
   * too, only less often.
   */
  announceWork(): void;
  /** Calls back when any process has announced work, until the function that it returns is called. */
  onWork(listener: () => void): () => void;
  /** Ends what the engine holds beside the connections of the dialect. */
  close(): Promise<void>;
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
  /** Only rows of which this is true; it names them as the statements do, which then need not begin for the others. */
  readonly when?: RawBuilder<unknown>;
  /** They name the row as it is `new` and as it was `old`. */
  readonly run: readonly RawBuilder<unknown>[];
}

const mark = "/* keep plan */";

/**
 * At the end of a statement (`modifyEnd`): a connection to PostgreSQL plans it a few times and then keeps the plan. It is for
 * statements that run many times a second and have one good plan, whatever their parameters are: planning them takes longer
 * than they do. They name their columns: a plan whose `*` has come to mean more columns is refused.
 */
export const keepPlan: RawBuilder<unknown> = sql.raw(mark);

export const keepsPlan = (statement: string): boolean => statement.endsWith(mark);

/** Between two steps other connections write; a step takes as long as one of their transactions. */
const pauseMs = 2;

/** After so many steps that met another writer, the rest is left to the next round. */
const maxBusySteps = 1_000;

/** Gives the disk that removed rows held back, step by step; stops between two of them when the signal fires. */
export async function reclaimSpace(db: Kysely<Schema>, engine: Engine, signal: AbortSignal): Promise<void> {
  let busySteps = 0;
  while (!signal.aborted && busySteps < maxBusySteps) {
    // On the connection of the queries, when none of their transactions is open on it.
    const outcome = await db.connection().execute(async () => engine.reclaim());
    if (outcome === "done") return;
    if (outcome === "busy") busySteps += 1;
    await sleep(pauseMs);
  }
}
