import type { Kysely } from "kysely";

/** Uploads in parts, documents that are fetched from a URL, and datasets found by what they hold. */
export async function uploads(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("uploads")
    .addColumn("key", "text", (column) => column.primaryKey())
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("fileName", "text", (column) => column.notNull())
    .addColumn("jobType", "text", (column) => column.notNull())
    .addColumn("expiryInDays", "double precision")
    .addColumn("fileSize", "bigint")
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .addColumn("jobId", "text")
    .addColumn("partsDigest", "text")
    .execute();
  await db.schema
    .createIndex("uploadsByWorkspace")
    .on("uploads")
    .columns(["workspaceId", "createdAt", "key"])
    .execute();
  await db.schema.createIndex("uploadsByExpiry").on("uploads").column("expiresAt").execute();
  await db.schema
    .createTable("uploadParts")
    .addColumn("uploadKey", "text", (column) => column.notNull().references("uploads.key"))
    .addColumn("partNumber", "bigint", (column) => column.notNull())
    .addColumn("etag", "text", (column) => column.notNull())
    .addColumn("size", "bigint", (column) => column.notNull())
    .addColumn("blobKey", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("uploadPartsKey", ["uploadKey", "partNumber"])
    .execute();
  await db.schema
    .createTable("fetches")
    .addColumn("datasetId", "text", (column) => column.primaryKey().references("datasets.id"))
    .addColumn("url", "text", (column) => column.notNull())
    .execute();
  await db.schema.alterTable("jobs").addColumn("bytesDone", "bigint").execute();
  await db.schema.alterTable("jobs").addColumn("bytesTotal", "bigint").execute();
  await db.schema.createIndex("datasetsByContent").on("datasets").columns(["workspaceId", "sha256"]).execute();
}
