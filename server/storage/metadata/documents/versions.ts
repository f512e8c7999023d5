import { type Kysely, type Selectable, sql } from "kysely";
import { actOfService } from "../../../domain/audit/event.ts";
import { type Dataset, type IsTarget, publicId, convertedKey, originalKey } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, JobId, OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { Job } from "../../../domain/jobs/job.ts";
import type { Replacement, VersionOutcome } from "../../../domain/ports/datasets.ts";
import { endJobs, insertJob } from "../queue/job-rows.ts";
import type { Schema } from "../schema.ts";
import type { DatasetTable } from "../tables/datasets.ts";
import { enterEvents } from "../tenants/audit.ts";
import { unexpired } from "./dataset-order.ts";
import { putValues, toDataset, toDatasetRow } from "./dataset-rows.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import { rowsOf, workerStopsWithinMs } from "../indices/index-rows.ts";
import { enterGarbage } from "./garbage.ts";

/** The condition matches that of the partial index, so that the database can use it. */
export const isPending = sql<boolean>`"type" = 'pending'`;
const isServed = sql<boolean>`"type" <> 'pending'`;

/** Selects the served version of the dataset that callers know by this id. */
export const servedRow = (db: Kysely<Schema>, id: DatasetId) =>
  db
    .selectFrom("datasets")
    .where(isServed)
    .where(({ eb, fn, selectFrom, val }) =>
      eb(
        "id",
        "=",
        fn.coalesce(
          selectFrom("datasets as version")
            .select("version.id")
            .where("version.versionOf", "=", id)
            .where("version.type", "<>", "pending"),
          val(id),
        ),
      ),
    );

/**
 * Returns and locks the served version of a dataset of the workspace that has not expired. Another transaction may have
 * replaced it while this one waited for the lock; the second query then finds the new version.
 */
export async function lockServed(
  trx: Kysely<Schema>,
  { workspaceId, id }: { readonly workspaceId: WorkspaceId; readonly id: DatasetId },
  now: number,
): Promise<Selectable<DatasetTable> | undefined> {
  const look = () =>
    servedRow(trx, id)
      .selectAll()
      .where("workspaceId", "=", workspaceId)
      .where(unexpired(now))
      .forUpdate()
      .executeTakeFirst();
  return (await look()) ?? (await look());
}

/**
 * Whether the served dataset passes `isTarget`; it is locked, so the answer holds until the transaction ends. True
 * without `isTarget`.
 */
export async function isServedTarget(
  trx: Kysely<Schema>,
  dataset: { readonly workspaceId: WorkspaceId; readonly id: DatasetId },
  isTarget: IsTarget | undefined,
  now: number,
): Promise<boolean> {
  if (isTarget === undefined) return true;
  const served = await lockServed(trx, dataset, now);
  return served !== undefined && isTarget(toDataset(served));
}

/** Returns the pending version of a dataset, which a job is still reading. */
export async function pendingVersion(
  trx: Kysely<Schema>,
  versionOf: DatasetId,
): Promise<Selectable<DatasetTable> | undefined> {
  return trx.selectFrom("datasets").selectAll().where("versionOf", "=", versionOf).where(isPending).executeTakeFirst();
}

/** Implements `DatasetStore.createVersion` after the check of the quota. Call it in a transaction. */
export async function insertVersion(
  trx: Kysely<Schema>,
  { dataset, job, replacement }: { readonly dataset: Dataset; readonly job: Job; readonly replacement: Replacement },
): Promise<VersionOutcome> {
  const { versionOf, workspaceId } = dataset;
  if (versionOf === null) throw new Error(`dataset ${dataset.id} is not a version of another`);
  const served = await lockServed(trx, { workspaceId, id: versionOf }, job.createdAt);
  if (served === undefined || replacement.isTarget?.(toDataset(served)) === false) return "gone";
  if ((await pendingVersion(trx, versionOf)) !== undefined) return "pending";
  const atWork = trx.selectFrom("jobs").select("id").where("datasetId", "=", served.id);
  if ((await atWork.where("finishedAt", "is", null).limit(1).executeTakeFirst()) !== undefined) return "busy";
  // The version gets the metadata of the dataset, so that the same callers see its job and its document has a
  // description. It expires with the dataset.
  const version = { ...dataset, metadata: toDataset(served).metadata, expiresAt: null };
  await trx
    .insertInto("datasets")
    .values({ ...toDatasetRow(version), type: "pending" })
    .execute();
  await putValues(trx, version);
  await insertJob(trx, job).execute();
  await enterEvents(trx, [replacement.event]);
  return "created";
}

/** Copies the metadata of a locked dataset to its pending version, and returns that version. */
export async function updatePending(trx: Kysely<Schema>, dataset: Dataset): Promise<Dataset | undefined> {
  const row = await pendingVersion(trx, publicId(dataset));
  if (row === undefined) return undefined;
  const pending = { ...toDataset(row), metadata: dataset.metadata };
  const { metadata } = toDatasetRow(pending);
  if (metadata === row.metadata) return pending;
  await trx.updateTable("datasets").set({ metadata }).where("id", "=", pending.id).execute();
  await putValues(trx, pending);
  return pending;
}

/**
 * Replaces the served version with the new version that an ended job has read, and keeps everything that callers have
 * set for the dataset. Call it in the transaction that ends the job. Returns false if the job did not read a new
 * version.
 */
export async function takePlace(
  trx: Kysely<Schema>,
  { datasetId: id, jobId }: { readonly datasetId: DatasetId; readonly jobId: JobId },
  now: number,
): Promise<boolean> {
  const pending = await trx
    .selectFrom("datasets")
    .select("versionOf")
    .where("id", "=", id)
    .where(isPending)
    .executeTakeFirst();
  if (pending?.versionOf == null) return false;
  const { versionOf } = pending;
  // Lock the served version first, as everything that changes a dataset does.
  const before = await servedRow(trx, versionOf).selectAll().forUpdate().executeTakeFirst();
  const version = await lockPending(trx, id);
  if (version === undefined) return false;
  const { workspaceId } = version;
  // The dataset has expired or been deleted, so the new version is removed too.
  if (before === undefined) {
    await discardDataset(trx, version, now);
    return true;
  }
  await endJobs(trx, before.id, "cancelled: a new version of the document has taken its place", now);
  await discardDataset(trx, before, now);
  const { type, metadata, createdAt, expiresAt } = before;
  await trx
    .updateTable("datasets")
    .set({ type, metadata, createdAt, expiresAt, updatedAt: now })
    .where("id", "=", id)
    .execute();
  await putValues(trx, { id, workspaceId, metadata: toDataset(before).metadata });
  const details = `job ${jobId} has put a new version in its place`;
  const act = { action: "dataset.replace", target: versionOf, workspaceId, details } as const;
  await enterEvents(trx, [actOfService(await organisationOf(trx, workspaceId), act, now)]);
  return true;
}

async function organisationOf(trx: Kysely<Schema>, id: WorkspaceId): Promise<OrganisationId> {
  const workspace = trx.selectFrom("workspaces").select("organisationId").where("id", "=", id);
  return (await workspace.executeTakeFirstOrThrow()).organisationId;
}

/**
 * Removes the pending version that an ended job was reading; the served one stays. Returns false if the job did not
 * read a new version.
 */
export async function discardVersion(trx: Kysely<Schema>, id: DatasetId, now: number): Promise<boolean> {
  const version = await lockPending(trx, id);
  if (version === undefined) return false;
  await discardDataset(trx, version, now);
  return true;
}

/** Removes the pending version and its job, because the locked dataset is deleted. */
export async function cancelVersion(trx: Kysely<Schema>, versionOf: DatasetId, now: number): Promise<void> {
  const version = await pendingVersion(trx, versionOf);
  if (version === undefined) return;
  await endJobs(trx, version.id, "cancelled: its dataset was deleted", now);
  await discardVersion(trx, version.id, now);
}

function lockPending(trx: Kysely<Schema>, id: DatasetId): Promise<Selectable<DatasetTable> | undefined> {
  return trx.selectFrom("datasets").selectAll().where("id", "=", id).where(isPending).forUpdate().executeTakeFirst();
}

/**
 * Removes the row of a locked dataset without running jobs, and puts everything that belonged to it on the garbage
 * list.
 */
export async function discardDataset(
  trx: Kysely<Schema>,
  dataset: Pick<Selectable<DatasetTable>, "id" | "originalKey" | "convertedKey">,
  now: number,
): Promise<void> {
  const { id } = dataset;
  // A claim that is still running writes under its own keys, which are already on the list.
  const documents: Garbage[] = [
    { kind: "blob", key: originalKey(dataset) },
    { kind: "blob", key: convertedKey(dataset) },
  ];
  await enterGarbage(trx, documents, now);
  // Workers that have not noticed the removal may still write renditions and vectors, so these are removed later.
  const indices = await trx
    .deleteFrom("indices")
    .where("datasetId", "=", id)
    .returning(["datasetId", "workspaceId", "pack", "generation"])
    .execute();
  const ofAnyone: Garbage[] = [{ kind: "renditions", key: id }, { kind: "vectors", key: id }, ...indices.map(rowsOf)];
  await enterGarbage(trx, ofAnyone, now + workerStopsWithinMs);
  // Pages of a removed dataset can no longer be found, so they are removed in steps.
  await enterGarbage(trx, [{ kind: "rows", key: id }], now);
  await trx.deleteFrom("fetches").where("datasetId", "=", id).execute();
  await trx.deleteFrom("datasets").where("id", "=", id).execute();
}
