import type { Kysely } from "kysely";
import type { RenditionStore } from "../../../domain/ports/renditions.ts";
import { batches, byKey } from "../batches.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";
import { countByName } from "../tenants/tallies.ts";

export function renditionStore(db: Kysely<Schema>): RenditionStore {
  return {
    totalBytes: async () => (await countByName(db, "cache", "bytes")).get("") ?? 0,

    put: (key, datasetId, size, now) =>
      inTransaction(db, async (trx) => {
        const dataset = await trx
          .selectFrom("datasets")
          .select("id")
          .where("id", "=", datasetId)
          .forKeyShare()
          .executeTakeFirst();
        if (dataset === undefined) return false;
        await trx
          .insertInto("renditions")
          .values({ key, datasetId, size, lastUsedAt: now })
          .onConflict((conflict) => conflict.column("key").doUpdateSet({ size, lastUsedAt: now }))
          .execute();
        return true;
      }),

    async touch(uses) {
      for (const batch of batches(byKey(uses, ([key]) => key))) {
        await inTransaction(db, async (trx) => {
          for (const [key, usedAt] of batch) {
            await trx
              .updateTable("renditions")
              .set({ lastUsedAt: usedAt })
              .where("key", "=", key)
              .where("lastUsedAt", "<", usedAt)
              .execute();
          }
        });
      }
    },

    oldest: (limit) =>
      db.selectFrom("renditions").select(["key", "size"]).orderBy("lastUsedAt").orderBy("key").limit(limit).execute(),

    async remove(keys) {
      for (const batch of batches(keys)) {
        await againIfUndone(() => db.deleteFrom("renditions").where("key", "in", batch).execute());
      }
    },
  };
}
