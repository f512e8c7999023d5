import { setImmediate } from "node:timers/promises";
import type { ExpressionBuilder, Kysely, Selectable, Updateable } from "kysely";
import type {
  AttemptHold,
  AttemptRef,
  BegunAttempt,
  BodyDigest,
  IdempotencyStore,
  NewAttempt,
} from "../../../domain/ports/requests.ts";
import { rowsPerTransaction } from "../batches.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";
import type { AttemptTable } from "../tables/bookkeeping.ts";

export function idempotencyStore(db: Kysely<Schema>, engine: Engine): IdempotencyStore {
  /** Changes an attempt that is held and has no answer yet; otherwise returns false. */
  async function change(hold: AttemptHold, values: Updateable<AttemptTable>): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable("attempts")
      .set(values)
      .where(isHeld(hold))
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  return {
    begin: (attempt, now) =>
      inTransaction(db, async (trx) => begin(trx, attempt, { now, storeNow: await engine.now(trx) })),
    noteBody: (hold, { sha256, fileBytes }) => change(hold, { bodySha256: sha256, bodyFileBytes: fileBytes }),
    reserve: (hold, { datasetId, jobId, uploadKey }) =>
      change(hold, { datasetId, jobId, uploadKey, bodySha256: null, bodyFileBytes: null }),
    renew: async (hold, holdMs) => change(hold, { heldUntil: (await engine.now(db)) + holdMs }),
    answer: (hold, answer) => change(hold, { answer }),

    async release(hold) {
      await db.deleteFrom("attempts").where(isHeld(hold)).execute();
    },

    async endHolds() {
      const ending = db.updateTable("attempts").set({ heldUntil: 0 }).where("answer", "is", null);
      await againIfUndone(() => ending.execute());
    },

    async sweep(now) {
      const ended = await engine.now(db);
      const some = db
        .selectFrom("attempts")
        .select(["workspaceId", "method", "keySha256"])
        .where("expiresAt", "<=", now)
        .where("heldUntil", "<=", ended)
        .orderBy("expiresAt")
        .limit(rowsPerTransaction);
      for (;;) {
        // Read outside a transaction, because otherwise each check by a worker would block other writers.
        const expired = await some.execute();
        if (expired.length === 0) return;
        await inTransaction(db, async (trx) => {
          for (const attempt of expired) {
            await trx
              .deleteFrom("attempts")
              .where(isOf(attempt))
              .where("expiresAt", "<=", now)
              .where("heldUntil", "<=", ended)
              .execute();
          }
        });
        await setImmediate();
      }
    },
  };
}

const isOf =
  ({ workspaceId, method, keySha256 }: AttemptRef) =>
  ({ and, eb }: ExpressionBuilder<Schema, "attempts">) =>
    and([eb("workspaceId", "=", workspaceId), eb("method", "=", method), eb("keySha256", "=", keySha256)]);

const isHeld = (hold: AttemptHold) => (builder: ExpressionBuilder<Schema, "attempts">) =>
  builder.and([isOf(hold)(builder), builder.eb("holder", "=", hold.holder), builder.eb("answer", "is", null)]);

async function begin(
  trx: Kysely<Schema>,
  attempt: NewAttempt,
  { now, storeNow }: { now: number; storeNow: number },
): Promise<BegunAttempt> {
  const { workspaceId, method, keySha256, holder, ids, holdMs, expiresAt, takesOver } = attempt;
  const heldUntil = storeNow + holdMs;
  const { datasetId, jobId, uploadKey } = ids;
  // The row is inserted before it is read: only one of two concurrent attempts inserts it, and the other finds it.
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("attempts")
    .values({ workspaceId, method, keySha256, holder, heldUntil, expiresAt, datasetId, jobId, uploadKey })
    .onConflict((conflict) =>
      conflict
        .columns(["workspaceId", "method", "keySha256"])
        .doUpdateSet({ holder, heldUntil, expiresAt, datasetId, jobId, uploadKey, ...nothingSaid })
        // The old attempt has expired, but has not been swept yet.
        .where("attempts.expiresAt", "<=", now)
        .where("attempts.heldUntil", "<=", storeNow),
    )
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return { outcome: "first" };
  const earlier = await trx.selectFrom("attempts").selectAll().where(isOf(attempt)).forUpdate().executeTakeFirst();
  // The earlier attempt was released in the meantime.
  if (earlier === undefined) return begin(trx, attempt, { now, storeNow });
  const body = bodyOf(earlier);
  if (earlier.answer !== null && body !== undefined) return { outcome: "answered", body, answer: earlier.answer };
  if (earlier.heldUntil > storeNow) return { outcome: "running" };
  if (takesOver) await trx.updateTable("attempts").set({ holder, heldUntil }).where(isOf(attempt)).execute();
  const found = { datasetId: earlier.datasetId, jobId: earlier.jobId, uploadKey: earlier.uploadKey };
  return { outcome: "interrupted", ids: found, body };
}

const nothingSaid = { bodySha256: null, bodyFileBytes: null, answer: null };

function bodyOf({ bodySha256, bodyFileBytes }: Selectable<AttemptTable>): BodyDigest | undefined {
  return bodySha256 === null ? undefined : { sha256: bodySha256, fileBytes: bodyFileBytes ?? 0 };
}
