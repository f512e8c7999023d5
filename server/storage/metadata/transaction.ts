import { setTimeout as sleep } from "node:timers/promises";
import type { IsolationLevel, Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.ts";

/**
 * Maximum number of tries of a transaction. Two transactions that collided rarely collide again after different pauses.
 */
const maxTries = 6;
/** Half of the maximum pause before the second try, ms; the maximum doubles with each further try. */
const pauseMs = 5;

/**
 * Error codes of a transaction that the database has rolled back because of another one, and that can be retried
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html): a serialization failure, a deadlock, or a row that
 * another transaction has inserted first, and which the next try sees.
 */
const undone: ReadonlySet<unknown> = new Set(["40001", "40P01", "23505"]);

/**
 * Runs the work in a transaction. If the database rolls it back because of another transaction, the work runs again
 * from its beginning, so it may change nothing but rows. It must lock what it reads and relies on (`forUpdate`,
 * `forShare`, `forKeyShare`), in this order: job, upload, organisation, dataset, pack, index. SQLite admits only one
 * writer, so its dialect leaves the locks out.
 */
export async function inTransaction<Result>(
  db: Kysely<Schema>,
  work: (trx: Transaction<Schema>) => Promise<Result>,
  isolation: IsolationLevel = "read committed",
): Promise<Result> {
  return againIfUndone(() => db.transaction().setIsolationLevel(isolation).execute(work));
}

/**
 * Does the same for a single statement, which is a transaction by itself. If the statement or one of its triggers
 * writes several rows, it may collide with another one that writes them in another order.
 */
export async function againIfUndone<Result>(statement: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await statement();
    } catch (cause) {
      if (tries === maxTries || !isUndone(cause)) throw cause;
      await sleep(Math.random() * pauseMs * 2 ** tries);
    }
  }
}

const isUndone = (cause: unknown): boolean => cause instanceof Error && "code" in cause && undone.has(cause.code);
