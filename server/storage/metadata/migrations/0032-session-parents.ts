import type { Kysely } from "kysely";

/** The session that has let a device in or linked an identity, and with which they end; null: none has. */
export async function sessionParents(db: Kysely<unknown>): Promise<void> {
  for (const table of ["deviceCodes", "personalTokens", "identities"]) {
    await db.schema.alterTable(table).addColumn("sessionId", "text").execute();
    await db.schema.createIndex(`${table}BySession`).on(table).column("sessionId").execute();
  }
}
