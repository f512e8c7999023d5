import type { Kysely } from "kysely";
import type { JobId } from "../../../domain/ids.ts";
import { type IsTarget, publicId } from "../../../domain/datasets/dataset.ts";
import type { Job } from "../../../domain/jobs/job.ts";
import type { JobStore } from "../../../domain/ports/jobs.ts";
import type { Engine } from "../engine.ts";
import { toDataset } from "../documents/dataset-rows.ts";
import { pendingVersion } from "../documents/versions.ts";
import { cancelJob } from "./cancel.ts";
import { listJobs } from "./job-list.ts";
import { insertJob, toJob } from "./job-rows.ts";
import { reconvert, retryJob } from "./retry.ts";
import { leaseMethods } from "./leases.ts";
import { longestQueued, queueState } from "./queue-state.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

/** Maximum number of ids in one query, far below the limits of the databases. */
const maxIds = 500;

export function jobStore(db: Kysely<Schema>, engine: Engine): JobStore {
  return {
    ...leaseMethods(db, engine),

    createVectorize: (job, isTarget) => inTransaction(db, (trx) => createVectorize(trx, job, isTarget)),

    async get(workspaceId, id) {
      const row = await db
        .selectFrom("jobs")
        .selectAll()
        .where("id", "=", id)
        .where("workspaceId", "=", workspaceId)
        .executeTakeFirst();
      return row && toJob(row);
    },

    async standing(datasetIds) {
      if (datasetIds.length === 0) return [];
      const rows = await db
        .selectFrom("jobs")
        .selectAll()
        .where("datasetId", "in", datasetIds)
        .where("status", "!=", "ERROR")
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toJob);
    },

    async revisions(ids) {
      const found = new Map<JobId, number>();
      for (let from = 0; from < ids.length; from += maxIds) {
        const some = ids.slice(from, from + maxIds);
        const rows = await db.selectFrom("jobs").select(["id", "revision"]).where("id", "in", some).execute();
        for (const { id, revision } of rows) found.set(id, revision);
      }
      return found;
    },

    list: (query) => listJobs(db, query),

    queue: (maxJobs) => queueState(db, engine, maxJobs),

    longestQueued: (bounds) => longestQueued(db, engine, bounds),

    cancel: (workspaceId, id, end, now, isTarget) =>
      inTransaction(db, (trx) => cancelJob(trx, { workspaceId, id, isTarget, ...end }, now)),

    retry: (workspaceId, id, now, traceparent = null, isTarget) =>
      inTransaction(db, (trx) => retryJob(trx, { workspaceId, id, traceparent, isTarget }, now)),

    reconvert: (datasetId, now) => inTransaction(db, (trx) => reconvert(trx, datasetId, now)),
  };
}

async function createVectorize(
  trx: Kysely<Schema>,
  job: Job,
  isTarget: IsTarget = () => true,
): Promise<"created" | "running" | "done" | "gone" | "replaced"> {
  const dataset = await trx
    .selectFrom("datasets")
    .selectAll()
    .where("id", "=", job.datasetId)
    .where("workspaceId", "=", job.workspaceId)
    .where(({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", job.createdAt)]))
    .forKeyShare()
    .executeTakeFirst();
  if (dataset === undefined || !isTarget(toDataset(dataset))) return "gone";
  if ((await pendingVersion(trx, publicId(dataset))) !== undefined) return "replaced";
  const { numInsertedOrUpdatedRows } = await insertJob(trx, job)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows === 1n) return "created";
  const done = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", job.datasetId)
    .where("type", "=", "datasets/vectorize")
    .where("status", "=", "SUCCESS")
    .executeTakeFirst();
  return done === undefined ? "running" : "done";
}
