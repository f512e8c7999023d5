import { sql, type Kysely } from "kysely";
import type { Engine } from "../engine.ts";

/** The tables of the first release. A released migration is never changed: later ones alter what it made. */
export async function first(db: Kysely<unknown>, { types }: Engine): Promise<void> {
  await tenants(db);
  await documents(db, types);
  await queue(db);
  await books(db);
}

async function tenants(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("organisations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("workspaces")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addUniqueConstraint("workspacesByName", ["organisationId", "name"])
    .execute();
  await db.schema
    .createTable("apiKeys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("secretSha256", "text", (column) => column.notNull())
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("lastUsedAt", "bigint")
    .addColumn("revokedAt", "bigint")
    .execute();
  await db.schema.createIndex("apiKeysByOrganisation").on("apiKeys").columns(["organisationId", "createdAt"]).execute();
  await db.schema
    .createTable("signingKeys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .execute();
}

async function documents(db: Kysely<unknown>, types: Engine["types"]): Promise<void> {
  await db.schema
    .createTable("datasets")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("itemCount", "bigint", (column) => column.notNull())
    .addColumn("fileName", "text", (column) => column.notNull())
    .addColumn("fileExt", "text", (column) => column.notNull())
    .addColumn("mimeType", "text", (column) => column.notNull())
    .addColumn("fileSize", "bigint", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("updatedAt", "bigint")
    .addColumn("expiresAt", "bigint")
    .execute();
  await db.schema
    .createIndex("datasetsByWorkspace")
    .on("datasets")
    .columns(["workspaceId", "createdAt", "id"])
    .execute();
  await db.schema
    .createTable("pages")
    .addColumn("datasetId", "text", (column) => column.notNull().references("datasets.id"))
    .addColumn("page", "bigint", (column) => column.notNull())
    .addColumn("width", "double precision", (column) => column.notNull())
    .addColumn("height", "double precision", (column) => column.notNull())
    .addColumn("failure", "text")
    .addColumn("embedFailure", "text")
    .addColumn("renderFailure", "text")
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("embeddedAt", "bigint")
    .addPrimaryKeyConstraint("pagesKey", ["datasetId", "page"])
    .execute();
  await db.schema
    .createTable("pageWords")
    .addColumn("datasetId", "text", (column) => column.notNull().references("datasets.id"))
    .addColumn("page", "bigint", (column) => column.notNull())
    .addColumn("words", types.bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("pageWordsKey", ["datasetId", "page"])
    .execute();
}

async function queue(db: Kysely<unknown>): Promise<void> {
  // No reference to the dataset: a job stays readable after its dataset is gone.
  await db.schema
    .createTable("jobs")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("statusText", "text")
    .addColumn("stage", "text", (column) => column.notNull())
    .addColumn("pagesDone", "bigint", (column) => column.notNull())
    .addColumn("pagesTotal", "bigint", (column) => column.notNull())
    .addColumn("startedAt", "bigint")
    .addColumn("finishedAt", "bigint")
    .addColumn("canceledAt", "bigint")
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("updatedAt", "bigint")
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("leaseOwner", "text")
    .addColumn("leaseUntil", "bigint")
    .addColumn("inFlight", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("jobsByWorkspace").on("jobs").columns(["workspaceId", "createdAt", "id"]).execute();
  await db.schema.createIndex("jobsByDataset").on("jobs").column("datasetId").execute();
  await db.schema
    .createIndex("jobsUnfinished")
    .on("jobs")
    .columns(["createdAt", "id"])
    .where(sql<boolean>`"finishedAt" is null`)
    .execute();
  // The database keeps the rule of one vectorize job per dataset, unfinished or succeeded, under concurrent inserts.
  await db.schema
    .createIndex("jobsVectorizeOnce")
    .unique()
    .on("jobs")
    .column("datasetId")
    .where(sql<boolean>`"type" = 'datasets/vectorize' and "status" <> 'ERROR'`)
    .execute();
  await db.schema
    .createTable("pageCrashes")
    .addColumn("jobId", "text", (column) => column.notNull().references("jobs.id"))
    .addColumn("page", "bigint", (column) => column.notNull())
    .addColumn("crashes", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("pageCrashesKey", ["jobId", "page"])
    .execute();
}

async function books(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("renditions")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("size", "bigint", (column) => column.notNull())
    .addColumn("lastUsedAt", "bigint", (column) => column.notNull())
    .execute();
  // Both carry the size, so that sums are read from the index alone.
  await db.schema.createIndex("renditionsByUse").on("renditions").columns(["lastUsedAt", "size"]).execute();
  await db.schema.createIndex("renditionsByDataset").on("renditions").columns(["datasetId", "size"]).execute();
  await db.schema
    .createTable("garbage")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("notBefore", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("garbageKey", ["kind", "key"])
    .execute();
  await db.schema.createIndex("garbageByTime").on("garbage").column("notBefore").execute();
}
