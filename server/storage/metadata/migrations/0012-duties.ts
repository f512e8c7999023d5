import { type Kysely, sql } from "kysely";

/** What processes that share a store settle among each other: duties, rates, and which of them founds the operator. */
export async function duties(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("duties")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("holder", "text")
    .addColumn("heldUntil", "bigint", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("rateBuckets")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("millis", "bigint", (column) => column.notNull())
    .addColumn("filledAt", "bigint", (column) => column.notNull())
    .execute();
  // One organisation runs the service, however many processes start at once on an empty store.
  await db.schema
    .createIndex("oneOperator")
    .unique()
    .on("organisations")
    .column("isOperator")
    .where(sql<boolean>`"isOperator" = 1`)
    .execute();
}
