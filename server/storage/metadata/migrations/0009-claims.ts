import { type Kysely, sql } from "kysely";

/**
 * Each claim has a token of its own, to which every write is bound; documents and vectors that a claim makes are named by
 * it. Pages that were in flight when a process died are suspects, which has no consequence but that they are tried alone. An
 * index that has lost rows is filled again.
 */
export async function claims(db: Kysely<unknown>): Promise<void> {
  await jobs(db);
  await indices(db);
  for (const column of ["originalKey", "convertedKey"]) {
    await db.schema.alterTable("datasets").addColumn(column, "text").execute();
  }
  await db.schema.alterTable("garbage").addColumn("claimToken", "text").execute();
  // Of pages that were embedded before it is not known: that they have a row in every space is looked at once, if ever.
  for (const table of ["pages", "indexPages"]) {
    await db.schema
      .alterTable(table)
      .addColumn("absentFrom", "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
}

async function jobs(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("jobs").addColumn("claimToken", "text").execute();
  await db.schema.alterTable("jobs").addColumn("retryAt", "bigint").execute();
  for (const column of ["tries", "reruns", "retriesFailures"]) {
    await db.schema
      .alterTable("jobs")
      .addColumn(column, "bigint", (definition) => definition.notNull().defaultTo(0))
      .execute();
  }
  // What a worker held when it was replaced by this version is claimed anew once its lease has run out.
  await db.schema
    .createIndex("jobsByToken")
    .on("jobs")
    .column("claimToken")
    .where(sql<boolean>`"claimToken" is not null`)
    .execute();
  await db.schema
    .createTable("suspectPages")
    .addColumn("jobId", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("page", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("suspectPagesKey", ["jobId", "page"])
    .execute();
  await sql`insert into "suspectPages" ("jobId", "page") select "jobId", "page" from "pageCrashes"`.execute(db);
  await db.schema.dropTable("pageCrashes").execute();
}

async function indices(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("indices").addColumn("claimToken", "text").execute();
  await db.schema.alterTable("indices").addColumn("retryAt", "bigint").execute();
  await db.schema
    .alterTable("indices")
    .addColumn("tries", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("indices")
    .addColumn("generation", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await db.schema.alterTable("indices").addColumn("rebuild", "text").execute();
  await db.schema
    .createIndex("indicesToRebuild")
    .on("indices")
    .columns(["workspaceId", "datasetId"])
    .where(sql<boolean>`"rebuild" is not null`)
    .execute();
  await db.schema.alterTable("indexPages").renameColumn("crashes", "isSuspect").execute();
}
