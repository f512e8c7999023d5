import type { Kysely } from "kysely";

/** Title and author that files state, as evidence about their documents; null: none, or not read. */
export async function properties(db: Kysely<unknown>): Promise<void> {
  for (const column of ["title", "author"]) {
    await db.schema.alterTable("datasets").addColumn(column, "text").execute();
  }
}
