import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import { type IsTarget, originalKey } from "../../../domain/datasets/dataset.ts";
import type { UploadKey } from "../../../domain/ids.ts";
import type { ListResult } from "../../../domain/list.ts";
import type { VersionOutcome } from "../../../domain/ports/datasets.ts";
import type { UploadBecome, UploadQuery, UploadStore, UploadSummary } from "../../../domain/ports/uploads.ts";
import type { Upload, UploadPart } from "../../../domain/uploads/upload.ts";
import { rowsPerTransaction } from "../batches.ts";
import { insertDataset, metadataOf } from "./dataset-rows.ts";
import { enterGarbage, keepBlob } from "./garbage.ts";
import { insertVersion, isServedTarget } from "./versions.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import type { UploadTable } from "../tables/datasets.ts";
import { inOrder, sliceOf } from "../slices.ts";
import { fitsQuota } from "../tenants/usage.ts";

export function uploadStore(db: Kysely<Schema>): UploadStore {
  return {
    async create(upload) {
      await db.insertInto("uploads").values(toRow(upload)).execute();
    },

    async get(workspaceId, key, now) {
      const row = await db
        .selectFrom("uploads")
        .selectAll()
        .where("key", "=", key)
        .where("workspaceId", "=", workspaceId)
        .where("expiresAt", ">", now)
        .executeTakeFirst();
      return row && toUpload(row);
    },

    parts: (key) => selectParts(db, key),

    list: (query) => listUploads(db, query),

    putPart: (key, part, maxBytes, now, isTarget) =>
      inTransaction(db, (trx) => putPart(trx, key, part, { maxBytes, now, isTarget })),

    end: (key, become, now) => inTransaction(db, (trx) => end(trx, key, become, now)),

    abort: (workspaceId, key, now, isTarget) =>
      inTransaction(db, async (trx) => {
        const open = await trx
          .selectFrom("uploads")
          .select(["workspaceId", "versionOf"])
          .where("workspaceId", "=", workspaceId)
          .where(isOpen(key, now))
          .forUpdate()
          .executeTakeFirst();
        if (open === undefined || !(await isOfMeant(trx, open, { now, isTarget }))) return false;
        await remove(trx, key, now);
        return true;
      }),

    async sweep(now) {
      // Read outside a transaction, because otherwise each check by a worker would block other writers.
      const expired = await db
        .selectFrom("uploads")
        .select("key")
        .where("expiresAt", "<=", now)
        .orderBy("expiresAt")
        .limit(rowsPerTransaction)
        .execute();
      for (const { key } of expired) await inTransaction(db, (trx) => remove(trx, key, now));
      return expired.length;
    },
  };
}

function isOpen(key: UploadKey, now: number) {
  return ({ and, eb }: ExpressionBuilder<Schema, "uploads">) =>
    and([eb("key", "=", key), eb("jobId", "is", null), eb("expiresAt", ">", now)]);
}

/**
 * Returns whether the session is open. If so, it stays open until the transaction ends: its row is written, which locks
 * it in databases with row locks.
 */
async function holdOpen(trx: Kysely<Schema>, key: UploadKey, now: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("uploads")
    .set({ jobId: null })
    .where(isOpen(key, now))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Whether a session is for a new dataset, or for one that passes `isTarget`. */
async function isOfMeant(
  trx: Kysely<Schema>,
  { workspaceId, versionOf: id }: Pick<Upload, "workspaceId" | "versionOf">,
  { now, isTarget }: { now: number; isTarget: IsTarget | undefined },
): Promise<boolean> {
  return id === null || isServedTarget(trx, { workspaceId, id }, isTarget, now);
}

async function putPart(
  trx: Kysely<Schema>,
  key: UploadKey,
  { partNumber, etag, size, blobKey }: UploadPart,
  { maxBytes, now, isTarget }: { maxBytes: number; now: number; isTarget: IsTarget | undefined },
): Promise<"entered" | "full" | "over quota" | "closed"> {
  if (!(await holdOpen(trx, key, now))) return "closed";
  const before = await trx
    .selectFrom("uploadParts")
    .select("size")
    .where("uploadKey", "=", key)
    .where("partNumber", "=", partNumber)
    .executeTakeFirst();
  const { workspaceId, versionOf, partCount, receivedBytes } = await trx
    .selectFrom("uploads")
    .select(["workspaceId", "versionOf", "partCount", "receivedBytes"])
    .where("key", "=", key)
    .executeTakeFirstOrThrow();
  const more = size - (before?.size ?? 0);
  if (receivedBytes + more > maxBytes) return "full";
  if (!(await fitsQuota(trx, workspaceId, more))) return "over quota";
  if (!(await isOfMeant(trx, { workspaceId, versionOf }, { now, isTarget }))) return "closed";
  const replaced = await trx
    .deleteFrom("uploadParts")
    .where("uploadKey", "=", key)
    .where("partNumber", "=", partNumber)
    .returning("blobKey")
    .execute();
  await enterGarbage(trx, replaced.map(toGarbage), now);
  await trx.insertInto("uploadParts").values({ uploadKey: key, partNumber, etag, size, blobKey }).execute();
  const counted = { partCount: partCount + (before === undefined ? 1 : 0), receivedBytes: receivedBytes + more };
  await trx.updateTable("uploads").set(counted).where("key", "=", key).execute();
  await keepBlob(trx, blobKey);
  return "entered";
}

async function end(
  trx: Kysely<Schema>,
  key: UploadKey,
  { parts, dataset, job, end: { jobId, partsDigest }, replacement }: UploadBecome,
  now: number,
): Promise<"ended" | "changed" | "closed" | Exclude<VersionOutcome, "created">> {
  if (!(await holdOpen(trx, key, now))) return "closed";
  const received = await selectParts(trx, key);
  const isSame = received.length === parts.length && received.every((part, at) => part.blobKey === parts[at]?.blobKey);
  if (!isSame) return "changed";
  if (replacement === undefined) await insertDataset(trx, dataset, job);
  else {
    const outcome = await insertVersion(trx, { dataset, job, replacement });
    if (outcome !== "created") return outcome;
  }
  await keepBlob(trx, originalKey(dataset));
  await enterGarbage(trx, [{ kind: "parts", key }], now);
  const ended = { jobId, partsDigest, partCount: 0, receivedBytes: 0 };
  await trx.updateTable("uploads").set(ended).where("key", "=", key).execute();
  return "ended";
}

/** Removes the session. Its parts can no longer be found, and are removed in steps. */
async function remove(trx: Kysely<Schema>, key: UploadKey, now: number): Promise<void> {
  await enterGarbage(trx, [{ kind: "parts", key }], now);
  await trx.deleteFrom("uploads").where("key", "=", key).execute();
}

const toGarbage = ({ blobKey }: { blobKey: string }) => ({ kind: "blob", key: blobKey }) as const;

function selectParts(db: Kysely<Schema>, key: UploadKey): Promise<UploadPart[]> {
  return (
    db
      .selectFrom("uploadParts")
      .innerJoin("uploads", "uploads.key", "uploadParts.uploadKey")
      .select(["partNumber", "etag", "size", "blobKey"])
      .where("uploadKey", "=", key)
      // The parts of an ended upload are about to be removed.
      .where("jobId", "is", null)
      .orderBy("partNumber")
      .execute()
  );
}

async function listUploads(
  db: Kysely<Schema>,
  { workspaceId, offset, limit, now }: UploadQuery,
): Promise<ListResult<UploadSummary>> {
  const open = db
    .selectFrom("uploads")
    .where("workspaceId", "=", workspaceId)
    .where("jobId", "is", null)
    .where("expiresAt", ">", now);
  // Counting entries of the index is fast enough, because sessions exist for only a day.
  const { total } = await open.select(({ fn }) => fn.countAll<number | string>().as("total")).executeTakeFirstOrThrow();
  const slice = { total: Number(total), offset, limit };
  const newest = ["createdAt", "key"].map((column) => ({ column, descending: true }));
  const keys = await sliceOf(db, [open.select(["key as id", "createdAt", "key"])], newest, slice);
  if (keys.length === 0) return { total: slice.total, data: [] };
  const rows = await db.selectFrom("uploads").selectAll().where("key", "in", keys).execute();
  const data = inOrder(keys, rows, ({ key }) => key).map(({ partCount, receivedBytes, ...row }) => ({
    upload: toUpload(row),
    partCount,
    receivedBytes,
  }));
  return { total: Math.max(slice.total, offset + keys.length), data };
}

function toRow({ ended, ...upload }: Upload): UploadTable {
  const { key, workspaceId, fileName, jobType, expiryInDays, fileSize, callbackUrl, createdAt, expiresAt } = upload;
  const { jobId, partsDigest } = ended ?? { jobId: null, partsDigest: null };
  const metadata = JSON.stringify(upload.metadata);
  const { versionOf } = upload;
  const row = { key, workspaceId, fileName, jobType, expiryInDays, fileSize, metadata, createdAt, expiresAt };
  return { ...row, versionOf, callbackUrl, jobId, partsDigest, partCount: 0, receivedBytes: 0 };
}

function toUpload({
  jobId,
  partsDigest,
  ...row
}: Omit<Selectable<UploadTable>, "partCount" | "receivedBytes">): Upload {
  const { key, workspaceId, fileName, jobType, expiryInDays, fileSize, callbackUrl, createdAt, expiresAt } = row;
  const { versionOf } = row;
  const ended = jobId === null || partsDigest === null ? null : { jobId, partsDigest };
  const described = { fileName, jobType, expiryInDays, fileSize, metadata: metadataOf(row.metadata), callbackUrl };
  return { key, workspaceId, versionOf, ...described, createdAt, expiresAt, ended };
}
