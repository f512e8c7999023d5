import { type Kysely, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { primary, required, text, zero } from "./columns.ts";

/**
 * Creates the tables of datasets, the values of their metadata, and documents that are still being uploaded or fetched.
 */
export async function documents(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createDatasets(db);
  await createMetadataValues(db, engine);
  await createUploads(db);
}

/**
 * Each order of a list has an index, with all columns that decide whether a dataset is in the list. The index
 * `datasetsByVersion` ensures that a dataset has at most one version that is being read and one that is served.
 */
async function createDatasets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("datasets")
    .addColumn("id", "text", primary)
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("type", "text", required)
    .addColumn("itemCount", "bigint", required)
    .addColumn("fileName", "text", required)
    .addColumn("fileExt", "text", required)
    .addColumn("mimeType", "text", required)
    .addColumn("fileSize", "bigint", required)
    .addColumn("sha256", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("updatedAt", "bigint")
    .addColumn("expiresAt", "bigint")
    .addColumn("convertedSize", "bigint")
    .addColumn("originalKey", "text")
    .addColumn("convertedKey", "text")
    .addColumn("metadata", "text", text("{}"))
    .addColumn("versionOf", "text")
    .addColumn("title", "text")
    .addColumn("author", "text")
    .addColumn("isSearchable", "bigint", zero)
    .addColumn("warnings", "text")
    .execute();
  await createDatasetIndices(db);
}

async function createDatasetIndices(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("datasetsByContent").on("datasets").columns(["workspaceId", "sha256"]).execute();
  await db.schema
    .createIndex("datasetsByCreatedAt")
    .on("datasets")
    .columns(["workspaceId", "type", "createdAt", "id", "expiresAt"])
    .execute();
  await db.schema
    .createIndex("datasetsByExpiresAt")
    .on("datasets")
    .columns(["workspaceId", "type", "expiresAt", "id"])
    .execute();
  await db.schema
    .createIndex("datasetsByExpiry")
    .on("datasets")
    .column("expiresAt")
    .where(sql<boolean>`"expiresAt" is not null`)
    .execute();
  await db.schema
    .createIndex("datasetsByFileName")
    .on("datasets")
    .columns(["workspaceId", "type", "fileName", "id", "expiresAt"])
    .execute();
  await db.schema
    .createIndex("datasetsByFileSize")
    .on("datasets")
    .columns(["workspaceId", "type", "fileSize", "id", "expiresAt"])
    .execute();
  await db.schema
    .createIndex("datasetsByFormat")
    .on("datasets")
    .columns(["workspaceId", "fileExt", "type", "expiresAt"])
    .execute();
  await db.schema
    .createIndex("datasetsByItemCount")
    .on("datasets")
    .columns(["workspaceId", "type", "itemCount", "id", "expiresAt"])
    .execute();
  await db.schema
    .createIndex("datasetsBySearchable")
    .on("datasets")
    .columns(["workspaceId", "isSearchable", "type", "createdAt", "id"])
    .execute();
  await db.schema
    .createIndex("datasetsByUpdatedAt")
    .on("datasets")
    .columns(["workspaceId", "type", "updatedAt", "id", "expiresAt"])
    .execute();
  await db.schema
    .createIndex("datasetsByVersion")
    .unique()
    .on("datasets")
    .columns(["versionOf", "type"])
    .where(sql<boolean>`"versionOf" is not null`)
    .execute();
  await db.schema
    .createIndex("pendingVersions")
    .on("datasets")
    .columns(["workspaceId", "id"])
    .where(sql<boolean>`"type" = 'pending'`)
    .execute();
}

/**
 * A dataset's row has the metadata as a whole. This table has each value, so that an index finds the datasets with a
 * value.
 */
async function createMetadataValues(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("metadataValues")
    .addColumn("datasetId", "text", required)
    .addColumn("field", "text", required)
    .addColumn("place", "bigint", required)
    .addColumn("workspaceId", "text", required)
    .addColumn("type", "text", required)
    .addColumn("number", "double precision", required)
    .addColumn("text", "text", required)
    .addColumn("isList", "bigint", required)
    .addPrimaryKeyConstraint("metadataValuesKey", ["datasetId", "field", "place"])
    .execute();
  await db.schema
    .createIndex("metadataByValue")
    .on("metadataValues")
    .columns(["workspaceId", "field", "type", "number", "text", "isList", "datasetId"])
    .execute();
  await engine.createTrigger(db, {
    name: "forgetMetadata",
    table: "datasets",
    after: "delete",
    run: [sql`delete from "metadataValues" where "datasetId" = old."id"`],
  });
}

/** An upload records the number and the bytes of its parts, so that it can end without reading the row of each part. */
async function createUploads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("uploads")
    .addColumn("key", "text", primary)
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("fileName", "text", required)
    .addColumn("jobType", "text", required)
    .addColumn("expiryInDays", "double precision")
    .addColumn("fileSize", "bigint")
    .addColumn("createdAt", "bigint", required)
    .addColumn("expiresAt", "bigint", required)
    .addColumn("jobId", "text")
    .addColumn("partsDigest", "text")
    .addColumn("partCount", "bigint", zero)
    .addColumn("receivedBytes", "bigint", zero)
    .addColumn("metadata", "text", text("{}"))
    .addColumn("callbackUrl", "text")
    .addColumn("versionOf", "text")
    .execute();
  await db.schema.createIndex("uploadsByExpiry").on("uploads").column("expiresAt").execute();
  await db.schema
    .createIndex("uploadsByWorkspace")
    .on("uploads")
    .columns(["workspaceId", "createdAt", "key"])
    .execute();
  await db.schema
    .createIndex("uploadsOpen")
    .on("uploads")
    .columns(["workspaceId", "createdAt", "key", "expiresAt"])
    .where(sql<boolean>`"jobId" is null`)
    .execute();
  // No foreign key, because the sweep removes parts after their upload.
  await db.schema
    .createTable("uploadParts")
    .addColumn("uploadKey", "text", required)
    .addColumn("partNumber", "bigint", required)
    .addColumn("etag", "text", required)
    .addColumn("size", "bigint", required)
    .addColumn("blobKey", "text", required)
    .addPrimaryKeyConstraint("uploadPartsKey", ["uploadKey", "partNumber"])
    .execute();
  await db.schema
    .createTable("fetches")
    .addColumn("datasetId", "text", (column) => column.primaryKey().references("datasets.id"))
    .addColumn("url", "text", required)
    .execute();
}
