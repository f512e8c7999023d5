import type { Kysely } from "kysely";
import type { AuditEvent } from "../../../domain/audit/event.ts";
import type { IsTarget } from "../../../domain/datasets/dataset.ts";
import type { DatasetId, JobId, WorkspaceId } from "../../../domain/ids.ts";
import { publicDatasetId } from "../../../domain/jobs/job.ts";
import type { Cancelled } from "../../../domain/ports/jobs.ts";
import { lockDataset } from "../documents/dataset-rows.ts";
import { deleteDataset } from "../documents/datasets.ts";
import { discardVersion, isServedTarget } from "../documents/versions.ts";
import { removeIndices } from "../indices/index-rows.ts";
import { cancelled, forgetSuspects, toJob } from "./job-rows.ts";
import type { Schema } from "../schema.ts";

interface CancelRequest {
  readonly workspaceId: WorkspaceId;
  readonly id: JobId;
  readonly statusText: string;
  readonly event: AuditEvent;
  readonly isTarget: IsTarget | undefined;
}

/** Implements `JobStore.cancel`. Call it in a transaction. */
export async function cancelJob(
  trx: Kysely<Schema>,
  { workspaceId, id, statusText, event, isTarget }: CancelRequest,
  now: number,
): Promise<Cancelled | undefined> {
  if (!(await isOfMeant(trx, { workspaceId, id, isTarget }, now))) return undefined;
  const ended = await trx
    .updateTable("jobs")
    .set(({ eb }) => ({ ...cancelled(statusText, now), revision: eb("revision", "+", 1) }))
    .where("id", "=", id)
    .where("workspaceId", "=", workspaceId)
    .where("finishedAt", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (ended === undefined) {
    const job = await trx
      .selectFrom("jobs")
      .selectAll()
      .where("id", "=", id)
      .where("workspaceId", "=", workspaceId)
      .executeTakeFirst();
    return job && { isCancelled: false, job: toJob(job) };
  }
  await forgetSuspects(trx, [id]);
  if (await discardVersion(trx, ended.datasetId, now)) return { isCancelled: true, job: toJob(ended) };
  await lockDataset(trx, ended.datasetId);
  // If the job had finished before it was queued again, its results stay.
  if (ended.reruns === 0) {
    const isOnly = !(await hasOthers(trx, ended.datasetId, id));
    if (isOnly) await deleteDataset(trx, workspaceId, ended.datasetId, now, event);
    else if (ended.type === "datasets/vectorize") await removeIndices(trx, ended.datasetId, now);
  }
  return { isCancelled: true, job: toJob(ended) };
}

/** Locks the job, and returns whether its dataset passes `isTarget`. */
async function isOfMeant(
  trx: Kysely<Schema>,
  { workspaceId, id, isTarget }: Pick<CancelRequest, "workspaceId" | "id" | "isTarget">,
  now: number,
): Promise<boolean> {
  if (isTarget === undefined) return true;
  const of = trx.selectFrom("jobs").select(["datasetId", "versionOf"]).where("id", "=", id);
  const job = await of.where("workspaceId", "=", workspaceId).forUpdate().executeTakeFirst();
  return job !== undefined && isServedTarget(trx, { workspaceId, id: publicDatasetId(job) }, isTarget, now);
}

/** Whether the dataset has other jobs that are unfinished or have succeeded. If so, it is not deleted with this job. */
async function hasOthers(trx: Kysely<Schema>, datasetId: DatasetId, id: JobId): Promise<boolean> {
  const other = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", datasetId)
    .where("id", "!=", id)
    .where("status", "!=", "ERROR")
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}
