import type { Kysely } from "kysely";
import type { FetchStore } from "../../../domain/ports/uploads.ts";
import { insertDataset } from "../documents/dataset-rows.ts";
import { insertVersion } from "../documents/versions.ts";
import { holdLease } from "./claims.ts";
import { keepBlob } from "../documents/garbage.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { fitsQuota } from "../tenants/usage.ts";

export function fetchStore(db: Kysely<Schema>): FetchStore {
  return {
    async create(dataset, job, url) {
      await inTransaction(db, async (trx) => {
        await insertDataset(trx, dataset, job);
        await trx.insertInto("fetches").values({ datasetId: dataset.id, url }).execute();
      });
    },

    createVersion: (dataset, job, url, replacement) =>
      inTransaction(db, async (trx) => {
        const outcome = await insertVersion(trx, { dataset, job, replacement });
        if (outcome !== "created") return outcome;
        await trx.insertInto("fetches").values({ datasetId: dataset.id, url }).execute();
        return outcome;
      }),

    async get(datasetId) {
      const row = await db.selectFrom("fetches").select("url").where("datasetId", "=", datasetId).executeTakeFirst();
      return row?.url;
    },

    done: (lease, datasetId, { fileName, fileExt, mimeType, fileSize, sha256, originalKey }, now) =>
      inTransaction(db, async (trx) => {
        if (!(await holdLease(trx, lease))) return "lost";
        const dataset = await trx
          .selectFrom("datasets")
          .select("workspaceId")
          .where("id", "=", datasetId)
          .executeTakeFirst();
        if (dataset === undefined) return "lost";
        if (!(await fitsQuota(trx, dataset.workspaceId, fileSize))) return "over quota";
        await trx
          .updateTable("datasets")
          .set({ fileName, fileExt, mimeType, fileSize, sha256, originalKey, updatedAt: now })
          .where("id", "=", datasetId)
          .execute();
        await trx.deleteFrom("fetches").where("datasetId", "=", datasetId).execute();
        await keepBlob(trx, originalKey);
        return "entered";
      }),
  };
}
