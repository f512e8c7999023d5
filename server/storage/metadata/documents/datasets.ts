import { type Kysely, type Selectable, type SelectQueryBuilder, sql } from "kysely";
import { actOfService, type AuditEvent } from "../../../domain/audit/event.ts";
import { convertedKey, originalKey, type Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { DatasetChange, DatasetStore } from "../../../domain/ports/datasets.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import { enterEvents } from "../tenants/audit.ts";
import { batches } from "../batches.ts";
import { holdLease } from "../queue/claims.ts";
import { insertDataset } from "./dataset-rows.ts";
import { enterGarbage, keepBlob } from "./garbage.ts";
import { workerStopsWithinMs } from "../indices/generations.ts";
import { endJobs } from "../queue/job-rows.ts";
import { listDatasets } from "./dataset-list.ts";
import { unexpired } from "./dataset-order.ts";
import { listIds } from "./found-datasets.ts";
import { putValues, toDataset, toDatasetRow } from "./metadata-rows.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import type { DatasetTable } from "../tables/datasets.ts";
import { fitsQuota } from "../tenants/usage.ts";
import { tellOfDeletion } from "../webhooks/outbox.ts";

export function datasetStore(db: Kysely<Schema>): DatasetStore {
  return {
    create: (dataset, job) =>
      inTransaction(db, async (trx) => {
        if (!(await fitsQuota(trx, dataset.workspaceId, dataset.fileSize))) return false;
        await insertDataset(trx, dataset, job);
        await keepBlob(trx, originalKey(dataset));
        return true;
      }),

    async get(workspaceId, id, now) {
      const row = await visible(db, workspaceId, now).selectAll().where("id", "=", id).executeTakeFirst();
      return row && toDataset(row);
    },

    async getUnscoped(id, now) {
      const row = await db
        .selectFrom("datasets")
        .selectAll()
        .where("id", "=", id)
        .where(unexpired(now))
        .executeTakeFirst();
      return row && toDataset(row);
    },

    async getMany(workspaceId, ids, now) {
      const found: Dataset[] = [];
      for (const batch of batches(new Set(ids))) {
        const rows = await visible(db, workspaceId, now).selectAll().where("id", "in", batch).execute();
        found.push(...rows.map(toDataset));
      }
      return found;
    },

    list: (query) => listDatasets(db, query),

    ids: (query) => listIds(db, query),

    update: (workspaceId, id, change, now) =>
      inTransaction(db, (trx) => updateDataset(trx, workspaceId, id, change, now)),

    setItemCount: (lease, id, itemCount, now) =>
      inTransaction(db, async (trx) => {
        if (!(await holdLease(trx, lease))) return false;
        await trx.updateTable("datasets").set({ itemCount, updatedAt: now }).where("id", "=", id).execute();
        return true;
      }),

    setConverted: (lease, id, { key, size }, now) =>
      inTransaction(db, async (trx) => {
        if (!(await holdLease(trx, lease))) return false;
        const before = await trx.selectFrom("datasets").selectAll().where("id", "=", id).executeTakeFirst();
        if (before === undefined) return false;
        if (before.convertedSize !== null) await enterGarbage(trx, [{ kind: "blob", key: convertedKey(before) }], now);
        await trx
          .updateTable("datasets")
          .set({ convertedKey: key, convertedSize: size })
          .where("id", "=", id)
          .execute();
        await keepBlob(trx, key);
        return true;
      }),

    async noteConverted(id, convertedSize) {
      await db.updateTable("datasets").set({ convertedSize }).where("id", "=", id).execute();
    },

    async all(after, limit) {
      const query = db.selectFrom("datasets").selectAll();
      const rest = after === undefined ? query : query.where("id", ">", after);
      return (await rest.orderBy("id").limit(limit).execute()).map(toDataset);
    },

    async unconverted(after, limit) {
      let query = db
        .selectFrom("datasets")
        .select("id")
        // Of what is still to be fetched it is not known. Written as the index has it.
        .where(sql<boolean>`"convertedSize" is null and "fileExt" not in ('pdf', '')`);
      if (after !== undefined) query = query.where("id", ">", after);
      const rows = await query.orderBy("id").limit(limit).execute();
      return rows.map(({ id }) => id);
    },

    delete: (workspaceId, id, now, event) =>
      inTransaction(db, (trx) => deleteDataset(trx, workspaceId, id, now, event)),

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

async function updateDataset(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  id: DatasetId,
  change: (dataset: Dataset) => DatasetChange,
  now: number,
): Promise<Dataset | undefined> {
  const row = await visible(trx, workspaceId, now).selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (row === undefined) return undefined;
  const before = toDataset(row);
  const changed = { ...before, ...change(before), updatedAt: now };
  const { fileName, metadata, expiresAt, updatedAt } = toDatasetRow(changed);
  await trx.updateTable("datasets").set({ fileName, metadata, expiresAt, updatedAt }).where("id", "=", id).execute();
  if (metadata !== row.metadata) await putValues(trx, changed);
  return changed;
}

/** What `DatasetStore.delete` does, but for the room that the database itself gives back. */
export async function deleteDataset(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  id: DatasetId,
  now: number,
  event: AuditEvent,
): Promise<{ freedBytes: number } | undefined> {
  const dataset = await visible(trx, workspaceId, now).selectAll().where("id", "=", id).executeTakeFirst();
  if (dataset === undefined || !(await removeDataset(trx, dataset, now))) return undefined;
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
    await inTransaction(db, async (trx) => {
      // Another worker may have removed it first.
      const found = await trx.selectFrom("datasets").selectAll().where("id", "=", id).executeTakeFirst();
      if (found === undefined || !(await removeDataset(trx, found, now))) return;
      await enterEvents(trx, [actOfService(organisationId, act, now)]);
    });
  }
  return expired.length;
}

/** Ends its jobs, removes it and puts what belonged to it on the garbage list. False: another transaction was first. */
async function removeDataset(
  trx: Kysely<Schema>,
  { id }: Pick<Selectable<DatasetTable>, "id">,
  now: number,
): Promise<boolean> {
  const reason = "cancelled: its dataset was deleted";
  await endJobs(trx, id, reason, now);
  const dataset = await trx.selectFrom("datasets").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (dataset === undefined) return false;
  // From here on there come no new ones; some may have come since the first look.
  await endJobs(trx, id, reason, now);
  // A claim that is still at work writes under keys of its own, which are on the list already.
  const documents: Garbage[] = [
    { kind: "blob", key: originalKey(dataset) },
    { kind: "blob", key: convertedKey(dataset) },
  ];
  await enterGarbage(trx, documents, now);
  // Workers that have not noticed the removal yet may still be writing these.
  const ofAnyone: Garbage[] = [
    { kind: "renditions", key: id },
    { kind: "vectors", key: id },
  ];
  await enterGarbage(trx, ofAnyone, now + workerStopsWithinMs);
  // Nothing finds the pages of a dataset that is gone: they are removed in steps.
  await enterGarbage(trx, [{ kind: "rows", key: id }], now);
  await tellOfDeletion(trx, dataset, now);
  for (const table of ["fetches", "indices"] as const) {
    await trx.deleteFrom(table).where("datasetId", "=", id).execute();
  }
  await trx.deleteFrom("datasets").where("id", "=", id).execute();
  return true;
}
