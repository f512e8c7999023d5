import { setTimeout as sleep } from "node:timers/promises";
import type { IsolationLevel, Kysely, Transaction } from "kysely";
import type { Schema } from "./schema.ts";

/** Tries of one transaction. Two that met once rarely meet again after pauses that differ. */
const maxTries = 6;
/** Longest pause before the second try, ms; it doubles. */
const pauseMs = 5;

/**
 * What databases answer when they have undone a transaction because of another one, and would do it if asked again
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html): it could not be serialised, it was in a deadlock, or the
 * other has entered the same row first, which the next try sees.
 */
const undone: ReadonlySet<unknown> = new Set(["40001", "40P01", "23505"]);

/**
 * Runs the work in a transaction; once more, from its beginning, where the database has undone it because of another one:
 * the work changes nothing but rows. What it reads and relies on it locks (`forUpdate`, `forShare`, `forKeyShare`), in this
 * order: job, upload, organisation, dataset, pack, index. The dialect of SQLite, which admits one writer, leaves the locks out.
 */
export async function inTransaction<Result>(
  db: Kysely<Schema>,
  work: (trx: Transaction<Schema>) => Promise<Result>,
  isolation: IsolationLevel = "read committed",
): Promise<Result> {
  return againIfUndone(() => db.transaction().setIsolationLevel(isolation).execute(work));
}

/**
 * The same for a statement that is a transaction by itself. One that writes several rows, or whose triggers do, may meet
 * another that writes them in another order.
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
