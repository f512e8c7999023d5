import { type Kysely, type Selectable, sql } from "kysely";
import { actOfService } from "../../../domain/audit/event.ts";
import { type Dataset, type IsMeant, publicId, convertedKey, originalKey } from "../../../domain/datasets/dataset.ts";
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

/** Written as the partial index has it. */
export const isPending = sql<boolean>`"type" = 'pending'`;
const isServed = sql<boolean>`"type" <> 'pending'`;

/** The row of the version that serves, of a dataset that callers know by this id; undefined: there is none. */
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
 * The same of the workspace, locked and not expired. Whoever was first may have put another version in its place: the
 * second look sees that.
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

/** Whether that dataset is meant, which then stays so until the transaction ends. Without `isMeant` it is not looked at. */
export async function isServedMeant(
  trx: Kysely<Schema>,
  dataset: { readonly workspaceId: WorkspaceId; readonly id: DatasetId },
  isMeant: IsMeant | undefined,
  now: number,
): Promise<boolean> {
  if (isMeant === undefined) return true;
  const served = await lockServed(trx, dataset, now);
  return served !== undefined && isMeant(toDataset(served));
}

/** The version of a dataset that is being read. */
export async function pendingVersion(
  trx: Kysely<Schema>,
  versionOf: DatasetId,
): Promise<Selectable<DatasetTable> | undefined> {
  return trx.selectFrom("datasets").selectAll().where("versionOf", "=", versionOf).where(isPending).executeTakeFirst();
}

/** What `DatasetStore.createVersion` does after its look at the quota; call it in a transaction. */
export async function insertVersion(
  trx: Kysely<Schema>,
  { dataset, job, replacement }: { readonly dataset: Dataset; readonly job: Job; readonly replacement: Replacement },
): Promise<VersionOutcome> {
  const { versionOf, workspaceId } = dataset;
  if (versionOf === null) throw new Error(`dataset ${dataset.id} is no version of another`);
  const served = await lockServed(trx, { workspaceId, id: versionOf }, job.createdAt);
  if (served === undefined || replacement.isMeant?.(toDataset(served)) === false) return "gone";
  if ((await pendingVersion(trx, versionOf)) !== undefined) return "pending";
  const atWork = trx.selectFrom("jobs").select("id").where("datasetId", "=", served.id);
  if ((await atWork.where("finishedAt", "is", null).limit(1).executeTakeFirst()) !== undefined) return "at work";
  // With the metadata its job is seen by whom the dataset is seen, and its document described; it expires with the dataset.
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

/** Gives a new version that is being read the metadata of its dataset, which is locked. It as it is then. */
export async function tellPending(trx: Kysely<Schema>, dataset: Dataset): Promise<Dataset | undefined> {
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
 * Has the new version that an ended job has read take the place of the one before; call it in the transaction that ends the
 * job. All that callers say of the dataset stays. False: the job was of no new version.
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
  // The one that serves is locked first, as all who change a dataset do.
  const before = await servedRow(trx, versionOf).selectAll().forUpdate().executeTakeFirst();
  const version = await lockPending(trx, id);
  if (version === undefined) return false;
  const { workspaceId } = version;
  // It has expired or was deleted, and all goes with it.
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

/** Removes the new version that an ended job was reading; the one that serves stays. False: the job was of no new version. */
export async function discardVersion(trx: Kysely<Schema>, id: DatasetId, now: number): Promise<boolean> {
  const version = await lockPending(trx, id);
  if (version === undefined) return false;
  await discardDataset(trx, version, now);
  return true;
}

/** The same with its job, where the dataset goes; it is locked. */
export async function cancelVersion(trx: Kysely<Schema>, versionOf: DatasetId, now: number): Promise<void> {
  const version = await pendingVersion(trx, versionOf);
  if (version === undefined) return;
  await endJobs(trx, version.id, "cancelled: its dataset was deleted", now);
  await discardVersion(trx, version.id, now);
}

function lockPending(trx: Kysely<Schema>, id: DatasetId): Promise<Selectable<DatasetTable> | undefined> {
  return trx.selectFrom("datasets").selectAll().where("id", "=", id).where(isPending).forUpdate().executeTakeFirst();
}

/** Removes the row of a locked dataset whose jobs have ended, and puts what belonged to it on the garbage list. */
export async function discardDataset(
  trx: Kysely<Schema>,
  dataset: Pick<Selectable<DatasetTable>, "id" | "originalKey" | "convertedKey">,
  now: number,
): Promise<void> {
  const { id } = dataset;
  // A claim that is still at work writes under keys of its own, which are on the list already.
  const documents: Garbage[] = [
    { kind: "blob", key: originalKey(dataset) },
    { kind: "blob", key: convertedKey(dataset) },
  ];
  await enterGarbage(trx, documents, now);
  // Workers that have not noticed the removal yet may still be writing these.
  const indices = await trx
    .deleteFrom("indices")
    .where("datasetId", "=", id)
    .returning(["datasetId", "workspaceId", "pack", "generation"])
    .execute();
  const ofAnyone: Garbage[] = [{ kind: "renditions", key: id }, { kind: "vectors", key: id }, ...indices.map(rowsOf)];
  await enterGarbage(trx, ofAnyone, now + workerStopsWithinMs);
  // Nothing finds the pages of a dataset that is gone: they are removed in steps.
  await enterGarbage(trx, [{ kind: "rows", key: id }], now);
  await trx.deleteFrom("fetches").where("datasetId", "=", id).execute();
  await trx.deleteFrom("datasets").where("id", "=", id).execute();
}
