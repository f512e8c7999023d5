import type { Kysely, Selectable } from "kysely";
import type { IsTarget } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, JobId, WorkspaceId } from "../../../domain/ids.ts";
import { type Job, publicDatasetId } from "../../../domain/jobs/job.ts";
import { lockUnfinished, toJob } from "./job-rows.ts";
import { lockTurn } from "./turns.ts";
import { isServedTarget } from "../documents/versions.ts";
import { hasFailed } from "../documents/page-rows.ts";
import type { Schema } from "../schema.ts";
import type { JobTable } from "../tables/jobs.ts";

interface RetryRequest {
  readonly workspaceId: WorkspaceId;
  readonly id: JobId;
  readonly traceparent: string | null;
  readonly isTarget: IsTarget | undefined;
}

/** Implements `JobStore.retry`. Call it in a transaction. */
export async function retryJob(
  trx: Kysely<Schema>,
  { workspaceId, id, traceparent, isTarget }: RetryRequest,
  now: number,
): Promise<Job | "unfinished" | "complete" | "gone" | "superseded" | undefined> {
  const job = await trx
    .selectFrom("jobs")
    .selectAll()
    .where("id", "=", id)
    .where("workspaceId", "=", workspaceId)
    .forUpdate()
    .executeTakeFirst();
  if (job === undefined) return undefined;
  await lockUnfinished(trx, job.datasetId);
  if (!(await isServedTarget(trx, { workspaceId, id: publicDatasetId(job) }, isTarget, now))) return undefined;
  if (job.finishedAt === null) return "unfinished";
  if (!(await isDatasetThere(trx, job, now))) return "gone";
  // From here on no new jobs can be added; some may have been added since the first lock.
  await lockUnfinished(trx, job.datasetId);
  if (job.status === "SUCCESS" && !(await hasFailedPages(trx, job))) return "complete";
  if (job.status === "ERROR" && (await isSuperseded(trx, job))) return "superseded";
  return queueAgain(trx, job, { retriesFailures: 1, traceparent }, now);
}

/** Implements `JobStore.reconvert`. Call it in a transaction. */
export async function reconvert(trx: Kysely<Schema>, datasetId: DatasetId, now: number): Promise<boolean> {
  const jobs = await trx
    .selectFrom("jobs")
    .select(["id", "workspaceId", "status", "finishedAt"])
    .where("datasetId", "=", datasetId)
    .orderBy("createdAt")
    .forUpdate()
    .execute();
  const last = jobs.findLast(({ status }) => status === "SUCCESS");
  if (last === undefined || jobs.some(({ finishedAt }) => finishedAt === null)) return false;
  const { numUpdatedRows } = await trx
    .updateTable("datasets")
    .set({ convertedKey: null, convertedSize: null, warnings: null })
    .where("id", "=", datasetId)
    .executeTakeFirstOrThrow();
  // The dataset may be gone, since its jobs outlive it.
  if (numUpdatedRows === 0n) return false;
  await queueAgain(trx, last, { retriesFailures: 0, traceparent: null }, now);
  return true;
}

async function queueAgain(
  trx: Kysely<Schema>,
  { id, workspaceId }: Pick<Selectable<JobTable>, "id" | "workspaceId">,
  { retriesFailures, traceparent }: { retriesFailures: 0 | 1; traceparent: string | null },
  now: number,
): Promise<Job> {
  await lockTurn(trx, workspaceId);
  const again = await trx
    .updateTable("jobs")
    .set(({ eb }) => ({
      status: "NOT_STARTED",
      statusText: null,
      stage: "queue",
      pagesDone: 0,
      pagesTotal: 0,
      startedAt: null,
      finishedAt: null,
      canceledAt: null,
      updatedAt: now,
      retryAt: null,
      tries: 0,
      retriesFailures,
      traceparent,
      reruns: eb("reruns", "+", 1),
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toJob(again);
}

async function isDatasetThere(trx: Kysely<Schema>, { datasetId }: Selectable<JobTable>, now: number): Promise<boolean> {
  const dataset = await trx
    .selectFrom("datasets")
    .select("id")
    .where("id", "=", datasetId)
    .where(({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]))
    .forUpdate()
    .executeTakeFirst();
  return dataset !== undefined;
}

async function hasFailedPages(trx: Kysely<Schema>, { datasetId }: Selectable<JobTable>): Promise<boolean> {
  const failed = await trx
    .selectFrom("pages")
    .select("page")
    .where("datasetId", "=", datasetId)
    .where(hasFailed)
    .limit(1)
    .executeTakeFirst();
  return failed !== undefined;
}

/** Whether another vectorize job has done the work in the meantime, or is doing it: a dataset is vectorized once. */
async function isSuperseded(trx: Kysely<Schema>, { id, datasetId, type }: Selectable<JobTable>): Promise<boolean> {
  if (type !== "datasets/vectorize") return false;
  const other = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", datasetId)
    .where("type", "=", "datasets/vectorize")
    .where("id", "!=", id)
    .where("status", "!=", "ERROR")
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
