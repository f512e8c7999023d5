import { type Kysely, sql } from "kysely";

/**
 * Which objects hold what packs have computed of pages. Workers make those of the pages that have been embedded, out of the index. A
 * version before this one lists none for the pages that it embeds.
 */
export async function features(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("features")
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("generation", "text", (column) => column.notNull())
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull().unique())
    .addColumn("pages", "text", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("featuresKey", ["datasetId", "generation", "number"])
    .execute();
  await sql`update "indices" set "rebuild" = 'features' where "role" = 'served' and "rebuild" is null`.execute(db);
}
