import type { Kysely } from "kysely";
import { key, required } from "./columns.ts";

/** Rows by which processes that share a store agree: duties, rates, and which versions of drs may go on beside these tables. */
export async function processes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("duties")
    .addColumn("name", "text", key)
    .addColumn("holder", "text")
    .addColumn("heldUntil", "bigint", required)
    .addColumn("requests", "bigint", required)
    .execute();
  await db.schema
    .createTable("rateBuckets")
    .addColumn("id", "text", key)
    .addColumn("millis", "bigint", required)
    .addColumn("filledAt", "bigint", required)
    .execute();
  await db.schema
    .createTable("readers")
    .addColumn("id", "bigint", key)
    .addColumn("oldest", "text", required)
    .addColumn("newest", "text", required)
    .execute();
}
