import { sql, type Kysely } from "kysely";

/** Model packs, and the indices of datasets by pack, so that the pack can be changed while datasets are searched. */
export async function models(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("packs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("manifest", "text", (column) => column.notNull())
    .addColumn("isInUse", "bigint", (column) => column.notNull())
    .addColumn("isLeaving", "bigint", (column) => column.notNull())
    .addColumn("usedAt", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("packsInUse")
    .unique()
    .on("packs")
    .column("isInUse")
    .where(sql<boolean>`"isInUse" = 1`)
    .execute();
  await indices(db);
  await db.schema.alterTable("workspaces").addColumn("reindexedAt", "bigint").execute();
  // Until now no table recorded which pack that was: the first start after this finds it out.
  await sql`insert into "indices" ("datasetId", "pack", "workspaceId", "role", "inFlight")
    select "id", '', "workspaceId", 'served', '' from "datasets"
    where exists (select 1 from "pages" where "pages"."datasetId" = "datasets"."id" and "pages"."embeddedAt" is not null)`.execute(
    db,
  );
}

async function indices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("indices")
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("pack", "text", (column) => column.notNull())
    .addColumn("workspaceId", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("failure", "text")
    .addColumn("removeAt", "bigint")
    .addColumn("leaseOwner", "text")
    .addColumn("leaseUntil", "bigint")
    .addColumn("inFlight", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("indicesKey", ["datasetId", "pack"])
    .execute();
  await db.schema
    .createIndex("indicesServed")
    .unique()
    .on("indices")
    .column("datasetId")
    .where(sql<boolean>`"role" = 'served'`)
    .execute();
  await db.schema
    .createIndex("indicesByPack")
    .on("indices")
    .columns(["pack", "role", "workspaceId", "datasetId"])
    .execute();
  await db.schema
    .createIndex("indicesBeside")
    .on("indices")
    .columns(["workspaceId", "pack"])
    .where(sql<boolean>`"role" <> 'served'`)
    .execute();
  await db.schema
    .createIndex("indicesToRemove")
    .on("indices")
    .column("removeAt")
    .where(sql<boolean>`"removeAt" is not null`)
    .execute();
  await db.schema
    .createTable("indexPages")
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("pack", "text", (column) => column.notNull())
    .addColumn("page", "bigint", (column) => column.notNull())
    .addColumn("embeddedAt", "bigint")
    .addColumn("failure", "text")
    .addColumn("crashes", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("indexPagesKey", ["datasetId", "pack", "page"])
    .execute();
}
