import type { Kysely } from "kysely";

/** What processes that share a store settle among each other: duties and rates. */
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
  // Which versions may go on beside these tables; older ones than this look at no such thing.
  await db.schema
    .createTable("readers")
    .addColumn("id", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("oldest", "text", (column) => column.notNull())
    .addColumn("newest", "text", (column) => column.notNull())
    .execute();
}
