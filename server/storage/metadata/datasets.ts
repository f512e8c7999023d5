import type { ExpressionBuilder, Kysely, SelectQueryBuilder, SqlBool, Expression } from "kysely";
import { actOfService, type AuditEvent } from "../../domain/audit/event.ts";
import { convertedKey, originalKey, type Dataset } from "../../domain/datasets/dataset.ts";
import type { DatasetId, WorkspaceId } from "../../domain/ids.ts";
import type { DatasetQuery, DatasetStore, Garbage, SortKey } from "../../domain/ports/metadata.ts";
import { enterEvents } from "./audit.ts";
import { batches } from "./batches.ts";
import type { Engine } from "./engine.ts";
import { insertDataset } from "./dataset-rows.ts";
import { enterGarbage } from "./garbage.ts";
import { endJobs } from "./job-rows.ts";
import type { Schema } from "./schema.ts";

/**
 * How long the worker of a job that was ended under it may still write: it stops within two seconds of losing its
 * lease, and what it leaves must be there before the garbage is taken out, not after.
 */
const workerStopsWithinMs = 5_000;

export function datasetStore(db: Kysely<Schema>, engine: Engine): DatasetStore {
  return {
    async create(dataset, job) {
      await db.transaction().execute(async (trx) => {
        await insertDataset(trx, dataset, job);
        await trx.deleteFrom("garbage").where("kind", "=", "blob").where("key", "=", originalKey(dataset.id)).execute();
      });
    },

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

    async delete(workspaceId, id, now, event) {
      const deleted = await db.transaction().execute((trx) => deleteDataset(trx, workspaceId, id, now, event));
      if (deleted !== undefined) await engine.reclaim();
      return deleted;
    },

    async deleteExpired(now, limit) {
      const deleted = await deleteExpired(db, now, limit);
      if (deleted > 0) await engine.reclaim();
      return deleted;
    },
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
  const dataset = await visible(trx, workspaceId, now).select("fileSize").where("id", "=", id).executeTakeFirst();
  if (dataset === undefined) return undefined;
  const cachedBytes = await removeDataset(trx, id, now);
  await enterEvents(trx, [event]);
  return { freedBytes: dataset.fileSize + cachedBytes };
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

/** Ends its jobs, removes its rows and puts what lies elsewhere on the garbage list; the bytes of its cached renditions. */
async function removeDataset(trx: Kysely<Schema>, id: DatasetId, now: number): Promise<number> {
  const { cached } = await trx
    .selectFrom("renditions")
    .select(({ fn }) => fn.sum<number | string | null>("size").as("cached"))
    .where("datasetId", "=", id)
    .executeTakeFirstOrThrow();
  await endJobs(trx, id, "cancelled: its dataset was deleted", now);
  const held = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", id)
    .where("leaseUntil", ">", now)
    .limit(1)
    .executeTakeFirst();
  const garbage: Garbage[] = [
    { kind: "blob", key: originalKey(id) },
    { kind: "blob", key: convertedKey(id) },
    { kind: "renditions", key: id },
    { kind: "vectors", key: id },
  ];
  await enterGarbage(trx, garbage, held === undefined ? now : now + workerStopsWithinMs);
  for (const table of ["pageWords", "pages", "renditions", "fetches"] as const) {
    await trx.deleteFrom(table).where("datasetId", "=", id).execute();
  }
  await trx.deleteFrom("datasets").where("id", "=", id).execute();
  return Number(cached ?? 0);
}
