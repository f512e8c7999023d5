import type { ExpressionBuilder, Kysely, SelectQueryBuilder, SqlBool, Expression } from "kysely";
import { actOfService, type AuditEvent } from "../../domain/audit/event.ts";
import { convertedKey, originalKey, type Dataset } from "../../domain/datasets/dataset.ts";
import type { DatasetId, WorkspaceId } from "../../domain/ids.ts";
import type { DatasetQuery, DatasetStore, Garbage, SortKey } from "../../domain/ports/metadata.ts";
import { enterEvents } from "./audit.ts";
import { batches } from "./batches.ts";
import { insertDataset } from "./dataset-rows.ts";
import { enterGarbage } from "./garbage.ts";
import { endJobs } from "./job-rows.ts";
import type { Schema } from "./schema.ts";
import { hasRoom } from "./usage.ts";

/**
 * How long a worker may still write for a dataset that was removed under it: it stops within two seconds of losing its
 * lease, and what it leaves must be there before the garbage is taken out, not after.
 */
const workerStopsWithinMs = 5_000;

export function datasetStore(db: Kysely<Schema>): DatasetStore {
  return {
    create: (dataset, job) =>
      db.transaction().execute(async (trx) => {
        if (!(await hasRoom(trx, dataset.workspaceId, dataset.fileSize))) return false;
        await insertDataset(trx, dataset, job);
        await trx.deleteFrom("garbage").where("kind", "=", "blob").where("key", "=", originalKey(dataset.id)).execute();
        return true;
      }),

    get: (workspaceId, id, now) => visible(db, workspaceId, now).selectAll().where("id", "=", id).executeTakeFirst(),

    getUnscoped: (id, now) =>
      db.selectFrom("datasets").selectAll().where("id", "=", id).where(unexpired(now)).executeTakeFirst(),

    async getMany(workspaceId, ids, now) {
      const found: Dataset[] = [];
      for (const batch of batches(new Set(ids))) {
        found.push(...(await visible(db, workspaceId, now).selectAll().where("id", "in", batch).execute()));
      }
      return found;
    },

    list: (query) => listDatasets(db, query),

    async setItemCount(id, itemCount, now) {
      await db.updateTable("datasets").set({ itemCount, updatedAt: now }).where("id", "=", id).execute();
    },

    async noteConverted(id, convertedSize) {
      const { numUpdatedRows } = await db
        .updateTable("datasets")
        .set({ convertedSize })
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async unconverted(after, limit) {
      let query = db
        .selectFrom("datasets")
        .select("id")
        .where("convertedSize", "is", null)
        // Of what is still to be fetched it is not known.
        .where("fileExt", "not in", ["pdf", ""]);
      if (after !== undefined) query = query.where("id", ">", after);
      const rows = await query.orderBy("id").limit(limit).execute();
      return rows.map(({ id }) => id);
    },

    delete: (workspaceId, id, now, event) =>
      db.transaction().execute((trx) => deleteDataset(trx, workspaceId, id, now, event)),

    deleteExpired: (now, limit) => deleteExpired(db, now, limit),
  };
}

/** Datasets of the workspace that have not expired. */
function visible(
  db: Kysely<Schema>,
  workspaceId: WorkspaceId,
  now: number,
): SelectQueryBuilder<Schema, "datasets", object> {
  return db.selectFrom("datasets").where("workspaceId", "=", workspaceId).where(unexpired(now));
}

function unexpired(now: number): (builder: ExpressionBuilder<Schema, "datasets">) => Expression<SqlBool> {
  return ({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]);
}

async function listDatasets(
  db: Kysely<Schema>,
  { workspaceId, types, sha256, sort, offset, limit, now }: DatasetQuery,
): Promise<{ total: number; data: Dataset[] }> {
  const matching = visible(db, workspaceId, now)
    .$if(types.length > 0, (query) => query.where("type", "in", types))
    .$if(sha256.length > 0, (query) => query.where("sha256", "in", sha256));
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  const tieBreak: SortKey<"id"> = { property: "id", descending: sort[0]?.descending ?? false };
  let page = matching.selectAll();
  for (const { property, descending } of [...sort, tieBreak]) {
    page = page.orderBy(property, (order) => {
      const directed = descending ? order.desc() : order.asc();
      // Only where there are nulls: an index that could give the order knows nothing of "nulls last".
      return property === "updatedAt" || property === "expiresAt" ? directed.nullsLast() : directed;
    });
  }
  return { total: Number(total), data: await page.offset(offset).limit(limit).execute() };
}

/** What `DatasetStore.delete` does, but for the room that the database itself gives back. */
export async function deleteDataset(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  id: DatasetId,
  now: number,
  event: AuditEvent,
): Promise<{ freedBytes: number } | undefined> {
  const dataset = await visible(trx, workspaceId, now)
    .select(["fileSize", "convertedSize"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (dataset === undefined) return undefined;
  await removeDataset(trx, id, now);
  await enterEvents(trx, [event]);
  return { freedBytes: dataset.fileSize + (dataset.convertedSize ?? 0) };
}

async function deleteExpired(db: Kysely<Schema>, now: number, limit: number): Promise<number> {
  const expired = await db
    .selectFrom("datasets")
    .innerJoin("workspaces", "workspaces.id", "datasets.workspaceId")
    .select(["datasets.id", "datasets.workspaceId", "workspaces.organisationId"])
    .where("expiresAt", "<=", now)
    .orderBy("expiresAt")
    .limit(limit)
    .execute();
  for (const { id, workspaceId, organisationId } of expired) {
    const act = { action: "dataset.delete", target: id, workspaceId, details: "it had expired" } as const;
    await db.transaction().execute(async (trx) => {
      // Another worker may have been faster.
      const found = await trx.selectFrom("datasets").select("id").where("id", "=", id).executeTakeFirst();
      if (found === undefined) return;
      await removeDataset(trx, id, now);
      await enterEvents(trx, [actOfService(organisationId, act, now)]);
    });
  }
  return expired.length;
}

/** Ends its jobs, removes its rows and puts what lies elsewhere on the garbage list. */
async function removeDataset(trx: Kysely<Schema>, id: DatasetId, now: number): Promise<void> {
  await endJobs(trx, id, "cancelled: its dataset was deleted", now);
  const held = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", id)
    .where("leaseUntil", ">", now)
    .limit(1)
    .executeTakeFirst();
  const ofJobs: Garbage[] = [
    { kind: "blob", key: originalKey(id) },
    { kind: "blob", key: convertedKey(id) },
  ];
  await enterGarbage(trx, ofJobs, held === undefined ? now : now + workerStopsWithinMs);
  // Renditions and vectors are also made without a job.
  const ofAnyone: Garbage[] = [
    { kind: "renditions", key: id },
    { kind: "vectors", key: id },
  ];
  await enterGarbage(trx, ofAnyone, now + workerStopsWithinMs);
  for (const table of ["pageWords", "pages", "renditions", "fetches", "indices", "indexPages"] as const) {
    await trx.deleteFrom(table).where("datasetId", "=", id).execute();
  }
  await trx.deleteFrom("datasets").where("id", "=", id).execute();
}
