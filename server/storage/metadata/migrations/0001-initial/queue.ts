import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { key, primary, required, zero } from "./columns.ts";

/**
 * Creates the tables of jobs, and of the lines in which organisations and workspaces wait
 * (docs/decisions/0050-fair-queue.md).
 */
export async function queue(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createJobs(db, engine);
  await createTurns(db, engine);
}

/**
 * Jobs have no foreign key to datasets, because a job stays readable after its dataset is gone. The index
 * `jobsVectorizeOnce` ensures, even under concurrent inserts, that a dataset has at most one vectorize job that is
 * unfinished or has succeeded.
 */
async function createJobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("jobs")
    .addColumn("id", "text", primary)
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("datasetId", "text", required)
    .addColumn("type", "text", required)
    .addColumn("status", "text", required)
    .addColumn("statusText", "text")
    .addColumn("stage", "text", required)
    .addColumn("pagesDone", "bigint", required)
    .addColumn("pagesTotal", "bigint", required)
    .addColumn("startedAt", "bigint")
    .addColumn("finishedAt", "bigint")
    .addColumn("canceledAt", "bigint")
    .addColumn("createdAt", "bigint", required)
    .addColumn("updatedAt", "bigint")
    .addColumn("revision", "bigint", required)
    .addColumn("leaseOwner", "text")
    .addColumn("leaseUntil", "bigint")
    .addColumn("inFlight", "text", required)
    .addColumn("bytesDone", "bigint")
    .addColumn("bytesTotal", "bigint")
    .addColumn("claimToken", "text")
    .addColumn("retryAt", "bigint")
    .addColumn("tries", "bigint", zero)
    .addColumn("reruns", "bigint", zero)
    .addColumn("retriesFailures", "bigint", zero)
    .addColumn("isListed", "bigint", (column) => column.notNull().defaultTo(1))
    .addColumn("traceparent", "text")
    .addColumn("callbackUrl", "text")
    .addColumn("callbackOrigin", "text")
    .addColumn("versionOf", "text")
    .execute();
  await createJobIndices(db);
  await db.schema
    .createTable("suspectPages")
    .addColumn("jobId", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("page", "bigint", required)
    .addPrimaryKeyConstraint("suspectPagesKey", ["jobId", "page"])
    .execute();
  // A job that runs again returns to the list, no matter how long ago it finished.
  await engine.createTrigger(db, {
    name: "relistJob",
    table: "jobs",
    after: "update",
    of: ["finishedAt"],
    run: [sql`update "jobs" set "isListed" = 1 where "id" = new."id" and "isListed" = 0 and new."finishedAt" is null`],
  });
}

async function createJobIndices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("jobsAtWork")
    .on("jobs")
    .columns(["workspaceId", "leaseUntil"])
    .where(sql<boolean>`"finishedAt" is null and "leaseUntil" is not null`)
    .execute();
  await db.schema.createIndex("jobsByDataset").on("jobs").column("datasetId").execute();
  await db.schema
    .createIndex("jobsByToken")
    .on("jobs")
    .column("claimToken")
    .where(sql<boolean>`"claimToken" is not null`)
    .execute();
  await db.schema
    .createIndex("jobsFinishedListed")
    .on("jobs")
    .column("finishedAt")
    .where(sql<boolean>`"isListed" = 1 and "finishedAt" is not null`)
    .execute();
  await db.schema
    .createIndex("jobsListed")
    .on("jobs")
    .columns(["workspaceId", "status", "createdAt", "id", "finishedAt"])
    .where(sql<boolean>`"isListed" = 1`)
    .execute();
  await db.schema
    .createIndex("jobsToUnlist")
    .on("jobs")
    .columns(["workspaceId", "status", "finishedAt"])
    .where(sql<boolean>`"isListed" = 1 and "finishedAt" is not null`)
    .execute();
  await db.schema
    .createIndex("jobsUnfinished")
    .on("jobs")
    .columns(["workspaceId", "createdAt", "id", "leaseOwner", "leaseUntil"])
    .where(sql<boolean>`"finishedAt" is null`)
    .execute();
  await db.schema
    .createIndex("jobsUnfinishedOfDataset")
    .on("jobs")
    .columns(["datasetId", "createdAt", "id"])
    .where(sql<boolean>`"finishedAt" is null`)
    .execute();
  await db.schema
    .createIndex("jobsUnseen")
    .on("jobs")
    .columns(["createdAt", "id"])
    .where(sql<boolean>`"status" = 'NOT_STARTED'`)
    .execute();
  await db.schema
    .createIndex("jobsVectorizeOnce")
    .unique()
    .on("jobs")
    .column("datasetId")
    .where(sql<boolean>`"type" = 'datasets/vectorize' and "status" <> 'ERROR'`)
    .execute();
}

/**
 * The first unfinished job of a workspace or an organisation inserts a row. When a worker finds no unfinished job, it
 * removes the row or sets its `since` to null. A worker therefore reads only the first few rows, however many there
 * are.
 */
async function createTurns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("organisationTurns")
    .addColumn("organisationId", "text", key)
    .addColumn("servedAt", "bigint", required)
    .addColumn("since", "bigint")
    .execute();
  await db.schema
    .createIndex("organisationTurnsInOrder")
    .on("organisationTurns")
    .columns(["servedAt", "since", "organisationId"])
    .where(sql<boolean>`"since" is not null`)
    .execute();
  await db.schema
    .createTable("turns")
    .addColumn("workspaceId", "text", key)
    .addColumn("servedAt", "bigint", required)
    .addColumn("since", "bigint", required)
    .addColumn("organisationId", "text", (column) => column.references("organisationTurns.organisationId"))
    .execute();
  await db.schema.createIndex("turnsInOrder").on("turns").columns(["servedAt", "since", "workspaceId"]).execute();
  await db.schema
    .createIndex("turnsOfOrganisation")
    .on("turns")
    .columns(["organisationId", "servedAt", "since", "workspaceId"])
    .execute();
  await engine.createTrigger(db, { name: "queueTurn", table: "jobs", after: "insert", run: enter(sql`true`) });
  await engine.createTrigger(db, {
    name: "queueTurnAgain",
    table: "jobs",
    after: "update",
    of: ["finishedAt"],
    run: enter(sql`old."finishedAt" is not null`),
  });
}

/**
 * Returns statements that put the workspace of a job and its organisation into their lines. If both are in line
 * already, the statements write nothing and wait for nothing. The row of a workspace has a foreign key to that of its
 * organisation, which therefore cannot be removed from the line.
 */
function enter(condition: RawBuilder<unknown>): readonly RawBuilder<unknown>[] {
  const entering = sql`"workspaces"."id" = new."workspaceId" and new."finishedAt" is null and ${condition}`;
  return [
    sql`insert into "organisationTurns" ("organisationId", "servedAt", "since")
      select "organisationId", 0, new."createdAt" from "workspaces" where ${entering} and not exists (
        select 1 from "organisationTurns" as "known" where "known"."organisationId" = "workspaces"."organisationId")
      on conflict ("organisationId") do nothing`,
    sql`insert into "turns" ("workspaceId", "organisationId", "servedAt", "since")
      select "id", "organisationId", coalesce("servedAt", 0), new."createdAt" from "workspaces"
      where ${entering} and not exists (select 1 from "turns" as "known" where "known"."workspaceId" = "workspaces"."id")
      on conflict ("workspaceId") do nothing`,
    sql`update "organisationTurns" set "since" = new."createdAt"
      where "since" is null and "organisationId" = (select "organisationId" from "workspaces" where ${entering})`,
  ];
}
