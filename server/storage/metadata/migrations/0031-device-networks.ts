import type { Kysely } from "kysely";

/** The network that a device has begun its sign-in from; null: an earlier version has not noted it. */
export async function deviceNetworks(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("deviceCodes").addColumn("network", "text").execute();
}
