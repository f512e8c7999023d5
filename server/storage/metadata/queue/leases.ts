import { setImmediate } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { actOfService } from "../../../domain/audit/event.ts";
import type { JobStore, Lease } from "../../../domain/ports/jobs.ts";
import { rowsPerTransaction } from "../batches.ts";
import { claim } from "./claim.ts";
import { heldBy, leaseEnd, maxPauseMs, unheld } from "./claims.ts";
import { deleteDataset } from "../documents/datasets.ts";
import { discardVersion, takePlace } from "../documents/versions.ts";
import { type Engine, keepPlan } from "../engine.ts";
import { expireJobs } from "../processes/expire.ts";
import { unlistJobs } from "./job-list.ts";
import { forgetSuspects, suspectsOfJob, versionOfJob } from "./job-rows.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";

type LeaseMethods = Pick<
  JobStore,
  | "markSeen"
  | "unlist"
  | "claim"
  | "renew"
  | "setProgress"
  | "setInFlight"
  | "finish"
  | "release"
  | "postpone"
  | "endPauses"
  | "expireLeases"
>;

/**
 * Treats the jobs table as a queue. `revision` and `updatedAt` change with everything that callers see of a job.
 * Heartbeats and pages in flight are invisible to callers, so they leave both unchanged.
 */
export function leaseMethods(db: Kysely<Schema>, engine: Engine): LeaseMethods {
  return {
    markSeen: (now) => markSeen(db, now),

    async unlist(finishedBefore) {
      while ((await unlistJobs(db, finishedBefore)) === rowsPerTransaction) await setImmediate();
    },

    claim: (owner, leaseMs, now) => inTransaction(db, (trx) => claim(trx, engine, { owner, leaseMs, now })),

    async renew(lease, leaseMs) {
      const { numUpdatedRows } = await db
        .updateTable("jobs")
        .set({ leaseUntil: leaseEnd(await engine.now(db), leaseMs) })
        .where(heldBy(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async setProgress(lease, { stage, pagesDone, pagesTotal, bytes }, now) {
      const { numUpdatedRows } = await db
        .updateTable("jobs")
        .set(({ eb }) => ({
          stage,
          pagesDone,
          pagesTotal,
          bytesDone: bytes?.done ?? null,
          bytesTotal: bytes?.total ?? null,
          updatedAt: now,
          revision: eb("revision", "+", 1),
        }))
        .where(heldBy(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async setInFlight(lease, pages) {
      const { numUpdatedRows } = await db
        .updateTable("jobs")
        .set({ inFlight: pages.join(",") })
        .where(heldBy(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    finish: (lease, end, now) => finish(db, lease, end, now),

    async release(lease) {
      await db.updateTable("jobs").set(unheld).where(heldBy(lease)).execute();
    },

    postpone: (lease, pause, now) => postpone(db, engine, lease, pause, now),

    async endPauses() {
      const ending = db
        .updateTable("jobs")
        .set({ retryAt: null })
        .where("finishedAt", "is", null)
        .where("retryAt", "is not", null);
      await againIfUndone(() => ending.execute());
    },

    expireLeases: (owner) => expireJobs(db, owner),
  };
}

/** Implements `JobStore.markSeen`. */
async function markSeen(db: Kysely<Schema>, now: number): Promise<void> {
  // This matches the condition of the partial index, so that SQLite uses the index.
  const unseen = sql<boolean>`"status" = 'NOT_STARTED'`;
  const some = db.selectFrom("jobs").select("id").where(unseen).orderBy("createdAt").orderBy("id");
  for (;;) {
    // Read outside a transaction, because otherwise each check by a worker would block other writers.
    if ((await some.limit(1).executeTakeFirst()) === undefined) return;
    const seeing = db
      .updateTable("jobs")
      .set(({ eb }) => ({ status: "IN_QUEUE", updatedAt: now, revision: eb("revision", "+", 1) }))
      .where("id", "in", some.limit(rowsPerTransaction))
      .where(unseen);
    await againIfUndone(() => seeing.execute());
    await setImmediate();
  }
}

/** Implements `JobStore.finish`. */
async function finish(
  db: Kysely<Schema>,
  lease: Lease,
  end: Parameters<JobStore["finish"]>[1],
  now: number,
): Promise<boolean> {
  // Nearly all jobs succeed, have no suspects and read no new version. One statement ends such a job.
  if (end.status === "SUCCESS") {
    const ending = ended(db, lease, end, now).where((eb) =>
      eb.not(eb.or([eb.exists(suspectsOfJob(eb)), eb.exists(versionOfJob(eb))])),
    );
    const { numUpdatedRows } = await againIfUndone(() => ending.modifyEnd(keepPlan).executeTakeFirstOrThrow());
    if (numUpdatedRows === 1n) return true;
  }
  return inTransaction(db, async (trx) => {
    const job = await ended(trx, lease, end, now).returning("datasetId").executeTakeFirst();
    if (job === undefined) return false;
    await forgetSuspects(trx, [lease.jobId]);
    if (end.status === "SUCCESS") await takePlace(trx, { datasetId: job.datasetId, jobId: lease.jobId }, now);
    else if (!(await discardVersion(trx, job.datasetId, now))) await removeUnfetched(trx, lease, now);
    return true;
  });
}

/** Implements `JobStore.postpone`. */
async function postpone(
  db: Kysely<Schema>,
  engine: Engine,
  lease: Lease,
  { statusText, afterMs, isTry }: Parameters<JobStore["postpone"]>[1],
  now: number,
): Promise<number | undefined> {
  const retryAt = (await engine.now(db)) + Math.min(afterMs, maxPauseMs);
  const postponing = db
    .updateTable("jobs")
    .set(({ eb }) => ({
      ...unheld,
      status: "IN_QUEUE",
      statusText,
      retryAt,
      tries: isTry ? eb("tries", "+", 1) : eb.ref("tries"),
      updatedAt: now,
      revision: eb("revision", "+", 1),
    }))
    .where(heldBy(lease))
    .returning("tries");
  return (await againIfUndone(() => postponing.executeTakeFirst()))?.tries;
}

/** Builds the statement that ends the job of a lease, if the lease holds. */
function ended(
  db: Kysely<Schema>,
  lease: Lease,
  { status, statusText }: Parameters<JobStore["finish"]>[1],
  now: number,
) {
  return db
    .updateTable("jobs")
    .set(({ eb }) => ({
      status,
      statusText,
      finishedAt: now,
      updatedAt: now,
      ...(status === "SUCCESS" ? { stage: "done" as const } : {}),
      ...unheld,
      revision: eb("revision", "+", 1),
    }))
    .where(heldBy(lease));
}

/**
 * Removes the dataset of an ended job if its document was never fetched, because nothing would ever fill the dataset.
 */
async function removeUnfetched(trx: Kysely<Schema>, { jobId }: Lease, now: number): Promise<void> {
  const unfetched = await trx
    .selectFrom("jobs")
    .innerJoin("fetches", "fetches.datasetId", "jobs.datasetId")
    .innerJoin("workspaces", "workspaces.id", "jobs.workspaceId")
    .select(["jobs.workspaceId", "jobs.datasetId", "workspaces.organisationId"])
    .where("jobs.id", "=", jobId)
    .executeTakeFirst();
  if (unfetched === undefined) return;
  const { organisationId, workspaceId, datasetId } = unfetched;
  const details = `job ${jobId} could not fetch its document`;
  const event = actOfService(
    organisationId,
    { action: "dataset.delete", target: datasetId, workspaceId, details },
    now,
  );
  await deleteDataset(trx, workspaceId, datasetId, now, event);
}
