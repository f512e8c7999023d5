import type { Kysely } from "kysely";
import type { RenditionEntry, RenditionStore } from "../../../domain/ports/pages.ts";
import { batches, byKey } from "../batches.ts";
import { enterGarbage, keepBlob } from "./garbage.ts";
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
        await keepBlob(trx, key);
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
      db
        .selectFrom("renditions")
        .select(["key", "size", "lastUsedAt"])
        .orderBy("lastUsedAt")
        .orderBy("key")
        .limit(limit)
        .execute(),

    evict: (entries, notBefore) =>
      inTransaction(db, async (trx) => {
        const evicted: RenditionEntry[] = [];
        for (const entry of entries) {
          const { numDeletedRows } = await trx
            .deleteFrom("renditions")
            .where("key", "=", entry.key)
            .where("lastUsedAt", "=", entry.lastUsedAt)
            .executeTakeFirstOrThrow();
          if (numDeletedRows === 1n) evicted.push(entry);
        }
        const blobs = evicted.map(({ key }) => ({ kind: "blob", key }) as const);
        await enterGarbage(trx, blobs, notBefore);
        return evicted;
      }),

    async remove(keys) {
      for (const batch of batches(keys)) {
        await againIfUndone(() => db.deleteFrom("renditions").where("key", "in", batch).execute());
      }
    },
  };
}
