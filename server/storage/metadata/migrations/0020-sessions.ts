import type { Kysely } from "kysely";

/**
 * Signed-in browsers, and the codes that sign them in. One of `memberId` and `keyId` is set;
 * neither refers to its table, because a version before this one removes members without their sessions.
 */
export async function sessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sessions")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("memberId", "text")
    .addColumn("keyId", "text")
    .addColumn("secretSha256", "text", (column) => column.notNull())
    .addColumn("agent", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("lastUsedAt", "bigint")
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("signInCodes")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("memberId", "text")
    .addColumn("keyId", "text")
    .addColumn("secretSha256", "text", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .execute();
  for (const table of ["sessions", "signInCodes"] as const) {
    for (const column of ["memberId", "keyId", "expiresAt"]) {
      await db.schema
        .createIndex(`${table}By${column[0]?.toUpperCase()}${column.slice(1)}`)
        .on(table)
        .column(column)
        .execute();
    }
  }
}
