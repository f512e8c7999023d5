import type { ExpressionBuilder, InsertQueryBuilder, InsertResult, Kysely, Selectable } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { Job } from "../../../domain/jobs/job.ts";
import { unheld } from "./claims.ts";
import type { Schema } from "../schema.ts";
import type { JobTable } from "../tables/jobs.ts";

export function insertJob(db: Kysely<Schema>, job: Job): InsertQueryBuilder<Schema, "jobs", InsertResult> {
  const { id, workspaceId, datasetId, versionOf, type, status, statusText, progress, startedAt, finishedAt } = job;
  const { canceledAt, createdAt, updatedAt, revision, traceparent, callbackUrl } = job;
  const { stage, pagesDone, pagesTotal } = progress;
  return db.insertInto("jobs").values({
    id,
    workspaceId,
    datasetId,
    versionOf,
    type,
    status,
    statusText,
    stage,
    pagesDone,
    pagesTotal,
    bytesDone: null,
    bytesTotal: null,
    startedAt,
    finishedAt,
    canceledAt,
    createdAt,
    updatedAt,
    revision,
    traceparent,
    callbackUrl,
    callbackOrigin: callbackUrl === null ? null : new URL(callbackUrl).origin,
    ...unheld,
    retryAt: null,
    tries: 0,
    reruns: 0,
    retriesFailures: 0,
  });
}

/**
 * Locks the unfinished jobs of the dataset: waits for claims on them, and prevents new claims until the transaction
 * ends.
 */
export async function lockUnfinished(trx: Kysely<Schema>, datasetId: DatasetId): Promise<void> {
  await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", datasetId)
    .where("finishedAt", "is", null)
    .orderBy("createdAt")
    .forUpdate()
    .execute();
}

/** Cancels the unfinished jobs of the dataset. */
export async function endJobs(
  db: Kysely<Schema>,
  datasetId: DatasetId,
  statusText: string,
  now: number,
): Promise<void> {
  const ended = await db
    .updateTable("jobs")
    .set(({ eb }) => ({ ...cancelled(statusText, now), revision: eb("revision", "+", 1) }))
    .where("datasetId", "=", datasetId)
    .where("finishedAt", "is", null)
    .returning("id")
    .execute();
  await forgetSuspects(
    db,
    ended.map(({ id }) => id),
  );
}

/** Selects the suspect pages of a job. */
export const suspectsOfJob = (eb: ExpressionBuilder<Schema, "jobs">) =>
  eb.selectFrom("suspectPages").select("page").whereRef("suspectPages.jobId", "=", "jobs.id");

/** Selects the pending version that a job reads. */
export const versionOfJob = (eb: ExpressionBuilder<Schema, "jobs">) =>
  eb
    .selectFrom("datasets")
    .select("datasets.id")
    .whereRef("datasets.id", "=", "jobs.datasetId")
    .where("datasets.type", "=", "pending");

/** Removes the suspects of jobs that have ended. */
export async function forgetSuspects(db: Kysely<Schema>, ids: readonly Job["id"][]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("suspectPages").where("jobId", "in", ids).execute();
}

/** The columns that `toJob` reads. */
export const jobColumns = [
  "id",
  "workspaceId",
  "datasetId",
  "versionOf",
  "type",
  "status",
  "statusText",
  "stage",
  "pagesDone",
  "pagesTotal",
  "bytesDone",
  "bytesTotal",
  "startedAt",
  "finishedAt",
  "canceledAt",
  "createdAt",
  "updatedAt",
  "revision",
  "traceparent",
  "callbackUrl",
] as const satisfies readonly (keyof JobTable)[];

export function toJob(row: Pick<Selectable<JobTable>, (typeof jobColumns)[number]>): Job {
  const { id, workspaceId, datasetId, type, status, statusText, stage, pagesDone, pagesTotal } = row;
  const { bytesDone, bytesTotal, startedAt, finishedAt, canceledAt, createdAt, updatedAt, revision, traceparent } = row;
  const { callbackUrl, versionOf } = row;
  const bytes = bytesDone === null ? undefined : { done: bytesDone, total: bytesTotal ?? undefined };
  return {
    id,
    workspaceId,
    datasetId,
    versionOf,
    type,
    status,
    statusText,
    progress: { stage, pagesDone, pagesTotal, ...(bytes && { bytes }) },
    startedAt,
    finishedAt,
    canceledAt,
    createdAt,
    updatedAt,
    revision,
    traceparent,
    callbackUrl,
  };
}

/** The columns that cancelling writes to an unfinished job. It does not change `leaseUntil`; see tables/jobs.ts. */
export function cancelled(statusText: string, now: number) {
  return {
    status: "ERROR",
    statusText,
    canceledAt: now,
    finishedAt: now,
    updatedAt: now,
    leaseOwner: null,
    claimToken: null,
    inFlight: "",
  } as const;
}
