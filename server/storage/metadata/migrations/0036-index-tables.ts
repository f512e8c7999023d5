import { type Kysely, sql } from "kysely";

/**
 * Which table of the index has the rows of a workspace in a pack, and which features are in it. There is none yet: workers fill the
 * indices anew. Versions before this one list features without a table, and know no garbage by it.
 */
export async function indexTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("indexTables")
    .addColumn("workspaceId", "text", (column) => column.notNull())
    .addColumn("pack", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("unsyncedIn", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("writes", "bigint", (column) => column.notNull())
    .addColumn("isDue", "integer", (column) => column.notNull())
    .addColumn("maintainedAt", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("indexTablesKey", ["workspaceId", "pack"])
    .execute();
  await db.schema
    .createIndex("indexTablesDue")
    .on("indexTables")
    .column("maintainedAt")
    .where(sql<boolean>`"isDue" = 1`)
    .execute();
  await db.schema
    .alterTable("features")
    .addColumn("table", "text", (column) => column.notNull().defaultTo(""))
    .execute();
  await db.schema.createIndex("featuresByTable").on("features").column("table").execute();
  for (const column of ["workspaceId", "pack"]) {
    await db.schema.alterTable("garbage").addColumn(column, "text").execute();
  }
  await db.schema
    .createIndex("garbageByWorkspace")
    .on("garbage")
    .column("workspaceId")
    .where(sql<boolean>`"workspaceId" is not null`)
    .execute();
  // Work on what is said of documents is part of it, and would end it.
  await sql`update "indices" set "rebuild" = 'missing', "leaseOwner" = null, "claimToken" = null, "leaseUntil" = null,
    "retryAt" = null, "tries" = 0
    where "role" = 'served' and ("rebuild" is null or "rebuild" = 'said')`.execute(db);
  // Versions that keep no features have marked these pages.
  await sql`delete from "indexPages" where exists (select 1 from "indices"
    where "indices"."datasetId" = "indexPages"."datasetId" and "indices"."pack" = "indexPages"."pack" and "role" = 'making'
    and not exists (select 1 from "features" where "features"."datasetId" = "indices"."datasetId"
      and "features"."generation" = "indices"."generation"))`.execute(db);
}
