import type { Kysely } from "kysely";
import type { RateStore } from "../../../domain/ports/requests.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

const minuteMs = 60_000;
/**
 * Age at which an unused bucket is removed, ms. It is full again after a minute, but a bucket in use should not be
 * removed and inserted again and again.
 */
const forgottenMs = 3_600_000;

export function rateStore(db: Kysely<Schema>, engine: Engine): RateStore {
  return {
    grant: (id, { perMinute, count }) =>
      inTransaction(db, async (trx) => {
        const now = await engine.now(trx);
        const full = perMinute * 1_000;
        // The row is written before it is read, which locks it.
        const row = await trx
          .insertInto("rateBuckets")
          .values({ id, millis: full, filledAt: now })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(({ ref }) => ({ id: ref("excluded.id") })))
          .returning(["millis", "filledAt"])
          .executeTakeFirstOrThrow();
        const elapsedMs = Math.max(0, now - row.filledAt);
        const filled = Math.min(full, row.millis + Math.floor((elapsedMs * full) / minuteMs));
        const granted = Math.min(count, Math.floor(filled / 1_000));
        const millis = filled - granted * 1_000;
        await trx.updateTable("rateBuckets").set({ millis, filledAt: now }).where("id", "=", id).execute();
        return { count: granted, left: millis / 1_000 };
      }),

    async sweep() {
      const now = await engine.now(db);
      await db
        .deleteFrom("rateBuckets")
        .where("filledAt", "<", now - forgottenMs)
        .execute();
    },
  };
}
