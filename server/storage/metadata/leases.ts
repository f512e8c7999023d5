import type { ExpressionBuilder, Kysely } from "kysely";
import { actOfService } from "../../domain/audit/event.ts";
import type { JobStore, Lease } from "../../domain/ports/metadata.ts";
import { claim, countCrashes } from "./claim.ts";
import { deleteDataset } from "./datasets.ts";
import type { Engine } from "./engine.ts";
import { forgetCrashes } from "./job-rows.ts";
import type { Schema } from "./schema.ts";

type LeaseMethods = Pick<
  JobStore,
  "markSeen" | "claim" | "renew" | "setProgress" | "setInFlight" | "finish" | "release" | "expireLeases"
>;

/**
 * The jobs table as a queue. `revision` and `updatedAt` tell what callers see of a job, so that heartbeats and pages
 * in flight, which they do not see, leave both alone.
 */
export function leaseMethods(db: Kysely<Schema>, engine: Engine): LeaseMethods {
  return {
    async markSeen(now) {
      await db
        .updateTable("jobs")
        .set(({ eb }) => ({ status: "IN_QUEUE", updatedAt: now, revision: eb("revision", "+", 1) }))
        .where("status", "=", "NOT_STARTED")
        .where("finishedAt", "is", null)
        .execute();
    },

    claim: (owner, now, leaseUntil) => db.transaction().execute((trx) => claim(trx, engine, owner, now, leaseUntil)),

    async renew(lease, leaseUntil) {
      const { numUpdatedRows } = await db
        .updateTable("jobs")
        .set({ leaseUntil })
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

    finish: (lease, { status, statusText }, now) =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("jobs")
          .set(({ eb }) => ({
            status,
            statusText,
            finishedAt: now,
            updatedAt: now,
            ...(status === "SUCCESS" ? { stage: "done" as const } : {}),
            leaseOwner: null,
            leaseUntil: null,
            inFlight: "",
            revision: eb("revision", "+", 1),
          }))
          .where(heldBy(lease))
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await forgetCrashes(trx, [lease.jobId]);
        if (status === "ERROR") await removeUnfetched(trx, lease, now);
        return true;
      }),

    async release(lease) {
      await db
        .updateTable("jobs")
        .set({ leaseOwner: null, leaseUntil: null, inFlight: "" })
        .where(heldBy(lease))
        .execute();
    },

    expireLeases: (owner) =>
      db.transaction().execute(async (trx) => {
        const held = await trx
          .selectFrom("jobs")
          .select(["id", "inFlight"])
          .where("finishedAt", "is", null)
          .where("leaseOwner", "is not", null)
          .$if(owner !== undefined, (query) => query.where("leaseOwner", "=", owner ?? null))
          .execute();
        for (const job of held) {
          await countCrashes(trx, job);
          await trx
            .updateTable("jobs")
            .set({ leaseOwner: null, leaseUntil: null, inFlight: "" })
            .where("id", "=", job.id)
            .execute();
        }
      }),
  };
}

/** The dataset of an ended job, if its document has never come: nothing would ever fill it. */
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

/**
 * True if the lease holds; it then cannot be lost before the transaction ends, because the job's row is written
 * (which locks it where databases lock rows).
 */
export async function holdLease(trx: Kysely<Schema>, lease: Lease): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("jobs")
    .set({ leaseOwner: lease.owner })
    .where(heldBy(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

function heldBy({ jobId, owner }: Lease) {
  return ({ and, eb }: ExpressionBuilder<Schema, "jobs">) =>
    and([eb("id", "=", jobId), eb("leaseOwner", "=", owner), eb("finishedAt", "is", null)]);
}
