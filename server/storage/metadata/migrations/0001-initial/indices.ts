import { type Kysely, sql } from "kysely";
import { primary, required, text, unique, zero } from "./columns.ts";

/**
 * Creates the tables of model packs, the indices of datasets by pack, the objects that hold features of pages, and the
 * tables of the vector store (docs/decisions/0049-index-of-features.md). None has a foreign key to `datasets`, because
 * an index outlives its dataset until it is removed.
 */
export async function indices(db: Kysely<unknown>): Promise<void> {
  await createPacks(db);
  await db.schema
    .createTable("indices")
    .addColumn("datasetId", "text", required)
    .addColumn("pack", "text", required)
    .addColumn("workspaceId", "text", required)
    .addColumn("role", "text", required)
    .addColumn("failure", "text")
    .addColumn("removeAt", "bigint")
    .addColumn("leaseOwner", "text")
    .addColumn("leaseUntil", "bigint")
    .addColumn("inFlight", "text", required)
    .addColumn("claimToken", "text")
    .addColumn("retryAt", "bigint")
    .addColumn("tries", "bigint", zero)
    .addColumn("generation", "text", text(""))
    .addColumn("rebuild", "text")
    .addPrimaryKeyConstraint("indicesKey", ["datasetId", "pack"])
    .execute();
  await db.schema
    .createIndex("indicesBeside")
    .on("indices")
    .columns(["workspaceId", "pack"])
    .where(sql<boolean>`"role" <> 'served'`)
    .execute();
  await db.schema
    .createIndex("indicesByPack")
    .on("indices")
    .columns(["pack", "role", "workspaceId", "datasetId"])
    .execute();
  await db.schema
    .createIndex("indicesByRebuild")
    .on("indices")
    .columns(["rebuild desc", "datasetId"])
    .where(sql<boolean>`"rebuild" is not null`)
    .execute();
  await db.schema
    .createIndex("indicesServed")
    .unique()
    .on("indices")
    .column("datasetId")
    .where(sql<boolean>`"role" = 'served'`)
    .execute();
  await db.schema
    .createIndex("indicesToRebuild")
    .on("indices")
    .columns(["workspaceId", "datasetId"])
    .where(sql<boolean>`"rebuild" is not null`)
    .execute();
  await db.schema
    .createIndex("indicesToRemove")
    .on("indices")
    .column("removeAt")
    .where(sql<boolean>`"removeAt" is not null`)
    .execute();
  // Pages of an index that is being made beside the served one.
  await db.schema
    .createTable("indexPages")
    .addColumn("datasetId", "text", required)
    .addColumn("pack", "text", required)
    .addColumn("page", "bigint", required)
    .addColumn("embeddedAt", "bigint")
    .addColumn("failure", "text")
    .addColumn("isSuspect", "bigint", required)
    .addColumn("absentFrom", "text", text(""))
    .addPrimaryKeyConstraint("indexPagesKey", ["datasetId", "pack", "page"])
    .execute();
  await createFeatures(db);
}

async function createPacks(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("packs")
    .addColumn("id", "text", primary)
    .addColumn("model", "text", required)
    .addColumn("manifest", "text", required)
    .addColumn("isInUse", "bigint", required)
    .addColumn("isLeaving", "bigint", required)
    .addColumn("usedAt", "bigint", required)
    .execute();
  await db.schema
    .createIndex("packsInUse")
    .unique()
    .on("packs")
    .column("isInUse")
    .where(sql<boolean>`"isInUse" = 1`)
    .execute();
}

async function createFeatures(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("features")
    .addColumn("datasetId", "text", required)
    .addColumn("generation", "text", required)
    .addColumn("number", "integer", required)
    .addColumn("key", "text", unique)
    .addColumn("pages", "text", required)
    .addColumn("bytes", "bigint", required)
    .addColumn("sha256", "text", required)
    .addColumn("table", "text", text(""))
    .addPrimaryKeyConstraint("featuresKey", ["datasetId", "generation", "number"])
    .execute();
  await db.schema.createIndex("featuresByTable").on("features").column("table").execute();
  await db.schema
    .createTable("indexTables")
    .addColumn("workspaceId", "text", required)
    .addColumn("pack", "text", required)
    .addColumn("name", "text", unique)
    .addColumn("unsyncedIn", "text", required)
    .addColumn("version", "bigint", required)
    .addColumn("writes", "bigint", required)
    .addColumn("isDue", "integer", required)
    .addColumn("maintainedAt", "bigint", required)
    .addPrimaryKeyConstraint("indexTablesKey", ["workspaceId", "pack"])
    .execute();
  await db.schema
    .createIndex("indexTablesDue")
    .on("indexTables")
    .column("maintainedAt")
    .where(sql<boolean>`"isDue" = 1`)
    .execute();
}
