import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import { actOfService, type AuditEvent } from "../../../domain/audit/event.ts";
import {
  convertedKey,
  type Dataset,
  datasetTypes,
  type IsTarget,
  originalKey,
  publicId,
  storedBytes,
} from "../../../domain/datasets/dataset.ts";
import type { DocumentWarning } from "../../../domain/documents/properties.ts";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { ChangedDataset, DatasetChange, DatasetStore } from "../../../domain/ports/datasets.ts";
import { enterEvents } from "../tenants/audit.ts";
import { batches } from "../batches.ts";
import type { Engine } from "../engine.ts";
import { holdLease, underLease } from "../queue/claims.ts";
import { insertDataset, putValues, toDataset, toDatasetRow, warningsOf } from "./dataset-rows.ts";
import { enterGarbage, keepBlob } from "./garbage.ts";
import { endJobs, lockUnfinished } from "../queue/job-rows.ts";
import { claimRenewals } from "../indices/rebuilds.ts";
import { listDatasets, listIds } from "./dataset-list.ts";
import { unexpired } from "./dataset-order.ts";
import { discardDataset, cancelVersion, insertVersion, lockServed, servedRow, updatePending } from "./versions.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { eventUnlessWritten } from "../unless-written.ts";
import type { DatasetTable } from "../tables/datasets.ts";
import { fitsQuota } from "../tenants/usage.ts";
import { enqueueDeletedEvent } from "../webhooks/outbox.ts";

export function datasetStore(db: Kysely<Schema>, engine: Engine): DatasetStore {
  return {
    ...lookups(db),
    ...findings(db),

    create: (dataset, job) =>
      inTransaction(db, async (trx) => {
        if (!(await fitsQuota(trx, dataset.workspaceId, dataset.fileSize))) return false;
        await insertDataset(trx, dataset, job);
        await keepBlob(trx, originalKey(dataset));
        return true;
      }),

    createVersion: (dataset, job, replacement) =>
      inTransaction(db, async (trx) => {
        if (!(await fitsQuota(trx, dataset.workspaceId, dataset.fileSize))) return "over quota";
        const outcome = await insertVersion(trx, { dataset, job, replacement });
        if (outcome === "created") await keepBlob(trx, originalKey(dataset));
        return outcome;
      }),

    list: (query) => listDatasets(db, engine, query),

    ids: (query) => listIds(db, query),

    update: (workspaceId, id, change, now) =>
      inTransaction(db, async (trx) => {
        const changed = await updateDataset(trx, workspaceId, id, change, now);
        if (changed === undefined) return undefined;
        const { dataset, pending, hasNewDescription } = changed;
        const ids = [dataset, ...(pending ? [pending] : [])].map((version) => version.id);
        return {
          dataset,
          pending,
          renewals: hasNewDescription ? await claimRenewals(trx, ids, await engine.now(trx)) : [],
        };
      }),

    isReplacedSince: eventUnlessWritten(engine, async (workspaceId, since) => {
      const found = await db
        .selectFrom("datasets")
        .select("id")
        .where("workspaceId", "=", workspaceId)
        // Naming all types lets the database use the index with this order.
        .where("type", "in", datasetTypes)
        .where("updatedAt", ">=", since)
        .where("versionOf", "is not", null)
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    }),

    delete: (workspaceId, id, now, event, isTarget) =>
      inTransaction(db, (trx) => deleteDataset(trx, workspaceId, id, now, event, isTarget)),

    deleteExpired: (now, limit) => deleteExpired(db, now, limit),
  };
}

type Lookups = Pick<DatasetStore, "get" | "getUnscoped" | "getMany" | "searchable" | "warnings" | "all">;

function lookups(db: Kysely<Schema>): Lookups {
  return {
    async get(workspaceId, id, now) {
      const row = await servedRow(db, id)
        .selectAll()
        .where("workspaceId", "=", workspaceId)
        .where(unexpired(now))
        .executeTakeFirst();
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
      const found = new Map<DatasetId, Dataset>();
      for (const batch of batches(new Set(ids))) {
        for (const column of ["id", "versionOf"] as const) {
          const rows = await visible(db, workspaceId, now).selectAll().where(column, "in", batch).execute();
          for (const row of rows) found.set(row.id, toDataset(row));
        }
      }
      return [...found.values()];
    },

    async searchable(ids) {
      const found = new Set<DatasetId>();
      for (const batch of batches(new Set(ids))) {
        const rows = await db
          .selectFrom("datasets")
          .select("id")
          .where("id", "in", batch)
          .where("isSearchable", "=", 1)
          .execute();
        for (const { id } of rows) found.add(id);
      }
      return found;
    },

    async warnings(ids) {
      const found = new Map<DatasetId, readonly DocumentWarning[]>();
      for (const batch of batches(new Set(ids))) {
        const rows = await db
          .selectFrom("datasets")
          .select(["id", "warnings"])
          .where("id", "in", batch)
          .where("warnings", "is not", null)
          .execute();
        for (const { id, warnings } of rows) found.set(id, warningsOf(warnings) ?? []);
      }
      return found;
    },

    async all(after, limit) {
      const query = db.selectFrom("datasets").selectAll();
      const rest = after === undefined ? query : query.where("id", ">", after);
      return (await rest.orderBy("id").limit(limit).execute()).map(toDataset);
    },
  };
}

type Findings = Pick<DatasetStore, "setItemCount" | "setProperties" | "setWarnings" | "setConverted">;

/** Stores what a job finds out about its document, as long as the job's lease is valid. */
function findings(db: Kysely<Schema>): Findings {
  return {
    setItemCount: (lease, id, itemCount, now) =>
      underLease(db, lease, async (trx) => {
        await trx.updateTable("datasets").set({ itemCount, updatedAt: now }).where("id", "=", id).execute();
      }),

    setProperties: (lease, id, { title, author }) =>
      underLease(db, lease, async (trx) => {
        await trx.updateTable("datasets").set({ title, author }).where("id", "=", id).execute();
      }),

    setWarnings: (lease, id, warnings) =>
      underLease(db, lease, async (trx) => {
        const text = JSON.stringify(warnings);
        await trx.updateTable("datasets").set({ warnings: text }).where("id", "=", id).execute();
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
  };
}

/** Selects the datasets of the workspace that have not expired, without pending versions. */
function visible(
  db: Kysely<Schema>,
  workspaceId: WorkspaceId,
  now: number,
): SelectQueryBuilder<Schema, "datasets", object> {
  return db
    .selectFrom("datasets")
    .where("workspaceId", "=", workspaceId)
    .where("type", "<>", "pending")
    .where(unexpired(now));
}

async function updateDataset(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  id: DatasetId,
  change: (dataset: Dataset) => DatasetChange,
  now: number,
): Promise<(Omit<ChangedDataset, "renewals"> & { readonly hasNewDescription: boolean }) | undefined> {
  const row = await lockServed(trx, { workspaceId, id }, now);
  if (row === undefined) return undefined;
  const before = toDataset(row);
  const changed = { ...before, ...change(before), updatedAt: now };
  const { fileName, metadata, expiresAt, updatedAt } = toDatasetRow(changed);
  const changes = { fileName, metadata, expiresAt, updatedAt };
  await trx.updateTable("datasets").set(changes).where("id", "=", before.id).execute();
  if (metadata !== row.metadata) await putValues(trx, changed);
  const hasNewDescription = fileName !== row.fileName || metadata !== row.metadata;
  return { dataset: changed, pending: await updatePending(trx, changed), hasNewDescription };
}

/** Implements `DatasetStore.delete`. Call it in a transaction. */
export async function deleteDataset(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  id: DatasetId,
  now: number,
  event: AuditEvent,
  isTarget: IsTarget = () => true,
): Promise<{ freedBytes: number } | undefined> {
  const served = servedRow(trx, id).select("id").where("workspaceId", "=", workspaceId).where(unexpired(now));
  const remove = async () => {
    const found = await served.executeTakeFirst();
    return found && removeDataset(trx, found.id, { isTarget, now });
  };
  // The second try is for a dataset that a new version has just replaced; the new version is now visible.
  const removed = (await remove()) ?? (await remove());
  if (removed === undefined) return undefined;
  await enterEvents(trx, [event]);
  return { freedBytes: storedBytes(removed) };
}

async function deleteExpired(db: Kysely<Schema>, now: number, limit: number): Promise<number> {
  const expired = await db
    .selectFrom("datasets")
    .innerJoin("workspaces", "workspaces.id", "datasets.workspaceId")
    .select(["datasets.id", "datasets.versionOf", "datasets.workspaceId", "workspaces.organisationId"])
    .where("expiresAt", "<=", now)
    .orderBy("expiresAt")
    .limit(limit)
    .execute();
  for (const { id, versionOf, workspaceId, organisationId } of expired) {
    const target = publicId({ id, versionOf });
    const act = { action: "dataset.delete", target, workspaceId, details: "it had expired" } as const;
    await inTransaction(db, async (trx) => {
      // Another worker may have removed it first, or a change may have extended its expiry.
      const isTarget = ({ expiresAt }: Dataset): boolean => expiresAt !== null && expiresAt <= now;
      if ((await removeDataset(trx, id, { isTarget, now })) === undefined) return;
      await enterEvents(trx, [actOfService(organisationId, act, now)]);
    });
  }
  return expired.length;
}

/**
 * Ends the jobs of a dataset, removes the dataset and puts everything that belonged to it on the garbage list. Returns
 * undefined and changes nothing if another transaction has removed it first or `isTarget` rejects it.
 */
async function removeDataset(
  trx: Kysely<Schema>,
  id: DatasetId,
  { isTarget, now }: { readonly isTarget: IsTarget; readonly now: number },
): Promise<Selectable<DatasetTable> | undefined> {
  await lockUnfinished(trx, id);
  const dataset = await trx.selectFrom("datasets").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
  if (dataset === undefined || !isTarget(toDataset(dataset))) return undefined;
  // From here on no new jobs can be added; some may have been added since the unfinished ones were locked.
  await endJobs(trx, id, "cancelled: its dataset was deleted", now);
  await cancelVersion(trx, publicId(dataset), now);
  await enqueueDeletedEvent(trx, { id: publicId(dataset), workspaceId: dataset.workspaceId }, now);
  await discardDataset(trx, dataset, now);
  return dataset;
}
