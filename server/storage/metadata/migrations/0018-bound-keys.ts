import type { Kysely } from "kysely";

/** The filter that a key is bound to, as JSON; null: it sees all of its workspace. */
export async function boundKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("apiKeys").addColumn("filter", "text").execute();
}
