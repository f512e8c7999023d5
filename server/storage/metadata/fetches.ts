import type { Kysely } from "kysely";
import { originalKey } from "../../domain/datasets/dataset.ts";
import type { FetchStore } from "../../domain/ports/uploads.ts";
import { insertDataset } from "./dataset-rows.ts";
import { holdLease } from "./leases.ts";
import type { Schema } from "./schema.ts";

export function fetchStore(db: Kysely<Schema>): FetchStore {
  return {
    async create(dataset, job, url) {
      await db.transaction().execute(async (trx) => {
        await insertDataset(trx, dataset, job);
        await trx.insertInto("fetches").values({ datasetId: dataset.id, url }).execute();
      });
    },

    async get(datasetId) {
      const row = await db.selectFrom("fetches").select("url").where("datasetId", "=", datasetId).executeTakeFirst();
      return row?.url;
    },

    done: (lease, datasetId, { fileName, fileExt, mimeType, fileSize, sha256 }, now) =>
      db.transaction().execute(async (trx) => {
        if (!(await holdLease(trx, lease))) return false;
        const { numUpdatedRows } = await trx
          .updateTable("datasets")
          .set({ fileName, fileExt, mimeType, fileSize, sha256, updatedAt: now })
          .where("id", "=", datasetId)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await trx.deleteFrom("fetches").where("datasetId", "=", datasetId).execute();
        await trx.deleteFrom("garbage").where("kind", "=", "blob").where("key", "=", originalKey(datasetId)).execute();
        return true;
      }),
  };
}
