import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { key, primary, required, zero } from "./columns.ts";

/** Jobs, and the lines in which organisations and their workspaces wait for their turns (docs/decisions/0050-fair-queue.md). */
export async function queue(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createJobs(db, engine);
  await createTurns(db, engine);
}

/**
 * No reference to the dataset: a job stays readable after its dataset is gone. By `jobsVectorizeOnce` the database keeps the rule
 * of one vectorize job per dataset, unfinished or succeeded, under concurrent inserts.
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
  // A job that runs again is in the list again, however long ago it had finished.
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
 * A row comes with the first unfinished job, and goes, or gets a `since` of null, when a worker finds that there is none left: a
 * worker reads the first few rows, however many there are.
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
 * Nothing is written, and nothing waited for, where workspace and organisation are in their lines already. By its reference the
 * row of a workspace keeps that of its organisation from being taken out of the line.
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
