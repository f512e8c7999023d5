import { randomBytes } from "node:crypto";
import { type Expression, type ExpressionBuilder, type Kysely, type RawBuilder, sql, type SqlBool } from "kysely";
import type { Lease } from "../../../domain/ports/jobs.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

/**
 * Maximum length of a lease, ms. A lease that seems to last longer was given before the clock was set back, and counts
 * as expired.
 */
export const maxLeaseMs = 60_000;
/** Maximum length of a pause, ms. A pause that seems to last longer counts as over, for the same reason. */
export const maxPauseMs = 3_600_000;

/** The lease columns of a row without a claim. */
export const unheld = { leaseOwner: null, claimToken: null, leaseUntil: null, inFlight: "" } as const;

/** Returns 24 letters, which are 120 random bits, so that no two claims ever have the same token. */
export function newToken(): string {
  return Array.from(randomBytes(24), (byte) => letters[byte % letters.length]).join("");
}

const letters = "0123456789abcdefghijklmnopqrstuv";

/**
 * Returns the end of a lease that is given at `now`. Throws `RangeError` for a lease that would count as expired at
 * once.
 */
export function leaseEnd(now: number, leaseMs: number): number {
  if (leaseMs > maxLeaseMs) throw new RangeError(`a lease of ${leaseMs} ms; at most ${maxLeaseMs}`);
  return now + leaseMs;
}

/** Whether the row may be claimed: no claim holds it, and it is not paused. */
export const isFree =
  (now: number) =>
  ({ eb, and, or }: ExpressionBuilder<Schema, "jobs">): Expression<SqlBool> =>
    and([
      or([
        eb("jobs.leaseOwner", "is", null),
        eb("jobs.leaseUntil", "<=", now),
        eb("jobs.leaseUntil", ">", now + maxLeaseMs),
      ]),
      or([eb("jobs.retryAt", "is", null), eb("jobs.retryAt", "<=", now), eb("jobs.retryAt", ">", now + maxPauseMs)]),
    ]);

/** Whether a lease lasts, even if the claim was ended: its process may continue to work until it notices this. */
export function lasts(now: number | RawBuilder<number>) {
  const last = typeof now === "number" ? now + maxLeaseMs : sql<number>`${now} + ${sql.lit(maxLeaseMs)}`;
  return ({ eb, and }: ExpressionBuilder<Schema, "jobs">): Expression<SqlBool> =>
    and([eb("jobs.leaseUntil", ">", now), eb("jobs.leaseUntil", "<=", last)]);
}

/**
 * Returns whether the lease holds. If so, it cannot be lost before the transaction ends: the row of the job is written,
 * which locks it in databases with row locks.
 */
export async function holdLease(trx: Kysely<Schema>, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("jobs")
    .set({ claimToken: lease.token })
    .where(heldBy(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Writes in one transaction if the lease holds. Otherwise writes nothing and returns false. */
export function underLease(
  db: Kysely<Schema>,
  lease: Lease,
  write: (trx: Kysely<Schema>) => Promise<void>,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    if (!(await holdLease(trx, lease))) return false;
    await write(trx);
    return true;
  });
}

/** Selects the job of the lease, as long as the lease holds. */
export function heldBy({ jobId, token }: Lease) {
  return ({ eb, and }: ExpressionBuilder<Schema, "jobs">) =>
    and([eb("id", "=", jobId), eb("claimToken", "=", token), eb("finishedAt", "is", null)]);
}
