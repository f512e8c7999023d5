import { type Kysely, sql } from "kysely";
import type { QueuedJob, QueueGroup, QueueState } from "../../../domain/ports/jobs.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { maxLeaseMs, maxPauseMs } from "./claims.ts";

/** Implements `JobStore.queue`. Reads at most `maxJobs` unfinished jobs, through their index. */
export async function queueState(db: Kysely<Schema>, engine: Engine, maxJobs: number): Promise<QueueState> {
  const now = await engine.now(db);
  const rows = await unfinished(db, now, maxJobs)
    .select(({ fn }) => [
      "type",
      "stage",
      "state",
      fn.countAll<number | string>().as("count"),
      fn.min<number | string>("since").as("since"),
    ])
    .groupBy(["type", "stage", "state"])
    .execute();
  const groups = rows.map(({ type, stage, state, count, since }): QueueGroup => ({
    type,
    stage,
    state,
    count: Number(count),
    ageMs: Math.max(0, now - Number(since)),
  }));
  const { workers } = await unfinished(db, now, maxJobs)
    .select(({ fn }) => fn.count<number | string>("leaseOwner").distinct().as("workers"))
    .where("state", "=", "working")
    .executeTakeFirstOrThrow();
  return { groups, workers: Number(workers) };
}

/** Implements `JobStore.longestQueued`. */
export async function longestQueued(
  db: Kysely<Schema>,
  engine: Engine,
  { limit, maxJobs }: { readonly limit: number; readonly maxJobs: number },
): Promise<readonly QueuedJob[]> {
  const now = await engine.now(db);
  const rows = await unfinished(db, now, maxJobs).selectAll().orderBy("createdAt").orderBy("id").limit(limit).execute();
  return rows.map(({ since, createdAt, leaseOwner, ...job }) => ({
    ...job,
    worker: job.state === "working" ? leaseOwner : null,
    ageMs: Math.max(0, now - createdAt),
    unchangedMs: Math.max(0, now - Number(since)),
  }));
}

/** Selects at most `maxJobs` unfinished jobs, with their state and the time at which it began. */
function unfinished(db: Kysely<Schema>, now: number, maxJobs: number) {
  const jobs = db
    .selectFrom("jobs")
    .select(["id", "workspaceId", "type", "stage", "pagesDone", "pagesTotal", "tries", "createdAt", "leaseOwner"])
    .select(
      sql<QueueGroup["state"]>`case
        when "leaseOwner" is not null and "leaseUntil" > ${now} and "leaseUntil" <= ${now + maxLeaseMs} then 'working'
        when "retryAt" > ${now} and "retryAt" <= ${now + maxPauseMs} then 'paused'
        else 'waiting' end`.as("state"),
    )
    // A job does not become younger when a worker marks it as seen, only when a worker claims it.
    .select(
      sql<number | string>`case when "startedAt" is null and "reruns" = 0 then "createdAt"
        else coalesce("updatedAt", "createdAt") end`.as("since"),
    )
    .where("finishedAt", "is", null)
    .limit(maxJobs);
  return db.selectFrom(jobs.as("unfinished"));
}
