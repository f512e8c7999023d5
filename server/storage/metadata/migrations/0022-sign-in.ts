import type { Kysely } from "kysely";

/**
 * Whom people of a provider are as members, and what lets devices in that have no browser. `memberId` does not refer to its
 * table: an identity outlives its member, and a version before this one removes members without what is theirs here.
 */
export async function signIn(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("identities")
    .addColumn("issuer", "text", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("memberId", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("identitiesKey", ["issuer", "subject"])
    .execute();
  await db.schema.alterTable("invitations").addColumn("email", "text").execute();
  await db.schema.createIndex("invitationsByEmail").on("invitations").column("email").execute();
  await db.schema
    .createTable("deviceCodes")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("userCode", "text", (column) => column.notNull().unique())
    .addColumn("secretSha256", "text", (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .addColumn("polledAt", "bigint")
    .addColumn("answer", "text")
    .addColumn("memberId", "text")
    .addColumn("organisationId", "text")
    .execute();
  for (const column of ["memberId", "expiresAt"]) {
    const name = `deviceCodesBy${column[0]?.toUpperCase()}${column.slice(1)}`;
    await db.schema.createIndex(name).on("deviceCodes").column(column).execute();
  }
  await db.schema.alterTable("personalTokens").addColumn("name", "text").execute();
}
