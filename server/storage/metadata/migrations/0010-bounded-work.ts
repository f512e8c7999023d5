import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";
import { pageCounts } from "./0010-page-counts.ts";
import { tallies } from "./0010-tallies.ts";

/**
 * Indices, counters and rows that are removed later, so that no statement's work grows with what is stored. Why so:
 * docs/decisions/0017-bounded-work.md.
 */
export async function boundedWork(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await datasets(db);
  await jobs(db, engine);
  await pages(db, engine);
  await parts(db, engine);
  await tallies(db, engine);
  await db.schema
    .createIndex("auditEventsByAction")
    .on("auditEvents")
    .columns(["organisationId", "action", "at", "id"])
    .execute();
  await db.schema
    .createIndex("indicesByRebuild")
    .on("indices")
    .columns(["rebuild desc", "datasetId"])
    .where(sql<boolean>`"rebuild" is not null`)
    .execute();
  await db.schema.dropIndex("garbageByTime").execute();
  await db.schema.createIndex("garbageByTime").on("garbage").columns(["notBefore", "kind", "key"]).execute();
}

/** Each order that a list may have, of each type, with all that tells whether a dataset is in it. */
async function datasets(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("datasetsByWorkspace").execute();
  for (const sort of ["createdAt", "updatedAt", "fileName", "fileSize", "itemCount"]) {
    await db.schema
      .createIndex(`datasetsBy${sort[0]?.toUpperCase()}${sort.slice(1)}`)
      .on("datasets")
      .columns(["workspaceId", "type", sort, "id", "expiresAt"])
      .execute();
  }
  await db.schema
    .createIndex("datasetsByExpiresAt")
    .on("datasets")
    .columns(["workspaceId", "type", "expiresAt", "id"])
    .execute();
  await db.schema
    .createIndex("datasetsUnconverted")
    .on("datasets")
    .column("id")
    .where(sql<boolean>`"convertedSize" is null and "fileExt" not in ('pdf', '')`)
    .execute();
}

async function jobs(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .alterTable("jobs")
    .addColumn("isListed", "bigint", (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.dropIndex("jobsByWorkspace").execute();
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
    .createIndex("jobsFinishedListed")
    .on("jobs")
    .column("finishedAt")
    .where(sql<boolean>`"isListed" = 1 and "finishedAt" is not null`)
    .execute();
  await db.schema
    .createIndex("jobsAtWork")
    .on("jobs")
    .columns(["workspaceId", "leaseUntil"])
    .where(sql<boolean>`"finishedAt" is null and "leaseUntil" is not null`)
    .execute();
  await db.schema
    .createIndex("jobsUnseen")
    .on("jobs")
    .columns(["createdAt", "id"])
    .where(sql<boolean>`"status" = 'NOT_STARTED'`)
    .execute();
  await db.schema
    .createIndex("jobsUnfinishedOfDataset")
    .on("jobs")
    .columns(["datasetId", "createdAt", "id"])
    .where(sql<boolean>`"finishedAt" is null`)
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

/** Pages outlive their dataset by the time that it takes to remove them; till then they are found by nothing. */
async function pages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const table of ["pages", "pageWords"]) await engine.dropReferences(db, table, "datasets");
  await db.schema
    .createIndex("pagesFailed")
    .on("pages")
    .columns(["datasetId", "page"])
    .where(sql<boolean>`"failure" is not null or "embedFailure" is not null or "renderFailure" is not null`)
    .execute();
  await db.schema
    .createIndex("pagesByAge")
    .on("pages")
    .columns(["datasetId", "createdAt desc", "page"])
    .where(sql<boolean>`"failure" is null`)
    .execute();
  await db.schema
    .createIndex("pagesByEmbedding")
    .on("pages")
    .columns(["datasetId", "embeddedAt desc", "page"])
    .where(sql<boolean>`"failure" is null and "embeddedAt" is not null`)
    .execute();
  await pageCounts(db, engine);
}

/** An upload knows how many parts it has and of how many bytes, so that it can end without a look at each of them. */
async function parts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await engine.dropReferences(db, "uploadParts", "uploads");
  for (const name of ["countNewPart", "countChangedPart", "countRemovedPart"]) {
    await engine.dropTrigger(db, name, "uploadParts");
  }
  for (const column of ["partCount", "receivedBytes"]) {
    await db.schema
      .alterTable("uploads")
      .addColumn(column, "bigint", (definition) => definition.notNull().defaultTo(0))
      .execute();
  }
  await sql`update "uploads" set
    "partCount" = (select count(*) from "uploadParts" where "uploadKey" = "uploads"."key"),
    "receivedBytes" = (select coalesce(sum("size"), 0) from "uploadParts" where "uploadKey" = "uploads"."key")
    where "jobId" is null`.execute(db);
  const count = (row: "new" | "old", sign: "+" | "-") => sql`
    update "workspaceUsage" set "parts" = "parts" ${sql.raw(sign)} ${sql.raw(row)}."receivedBytes"
    where "workspaceId" = ${sql.raw(row)}."workspaceId"`;
  await engine.createTrigger(db, {
    name: "countReceived",
    table: "uploads",
    after: "update",
    of: ["receivedBytes"],
    run: [count("old", "-"), count("new", "+")],
  });
  await engine.createTrigger(db, {
    name: "countRemovedUpload",
    table: "uploads",
    after: "delete",
    run: [count("old", "-")],
  });
  await db.schema
    .createIndex("uploadsOpen")
    .on("uploads")
    .columns(["workspaceId", "createdAt", "key", "expiresAt"])
    .where(sql<boolean>`"jobId" is null`)
    .execute();
}
