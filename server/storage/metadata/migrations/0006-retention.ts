import { sql, type Kysely } from "kysely";

/** Finds the datasets whose time is over without a look at those that stay. */
export async function retention(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("datasetsByExpiry")
    .on("datasets")
    .column("expiresAt")
    .where(sql<boolean>`"expiresAt" is not null`)
    .execute();
}
