import type { Kysely } from "kysely";

/** What the pages of a document do not show as it is, in JSON; null: not known. */
export async function warnings(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("datasets").addColumn("warnings", "text").execute();
}
