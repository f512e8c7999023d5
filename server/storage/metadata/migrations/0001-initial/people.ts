import type { Kysely } from "kysely";
import { key, primary, required, unique } from "./columns.ts";

/** Creates the tables of members and of everything with which they sign in. */
export async function people(db: Kysely<unknown>): Promise<void> {
  await createMembers(db);
  await createSessions(db);
  await createDevices(db);
}

async function createMembers(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("members")
    .addColumn("id", "text", primary)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("name", "text", required)
    .addColumn("role", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("lastUsedAt", "bigint")
    .execute();
  await db.schema.createIndex("membersByOrganisation").on("members").columns(["organisationId", "createdAt"]).execute();
  await db.schema
    .createTable("personalTokens")
    .addColumn("id", "text", primary)
    .addColumn("memberId", "text", (column) => column.notNull().references("members.id"))
    .addColumn("secretSha256", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("name", "text")
    .addColumn("sessionId", "text")
    .execute();
  await db.schema.createIndex("personalTokensByMember").on("personalTokens").column("memberId").execute();
  await db.schema.createIndex("personalTokensBySession").on("personalTokens").column("sessionId").execute();
  await db.schema
    .createTable("invitations")
    .addColumn("id", "text", primary)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("name", "text", required)
    .addColumn("role", "text", required)
    .addColumn("secretSha256", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("expiresAt", "bigint", required)
    .addColumn("email", "text")
    .execute();
  await db.schema.createIndex("invitationsByEmail").on("invitations").column("email").execute();
  await db.schema
    .createIndex("invitationsByOrganisation")
    .on("invitations")
    .columns(["organisationId", "createdAt"])
    .execute();
  // `memberId` is no foreign key: an identity outlives its member, so that a removed person is still recognised.
  await db.schema
    .createTable("identities")
    .addColumn("issuer", "text", required)
    .addColumn("subject", "text", required)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("memberId", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("sessionId", "text")
    .addPrimaryKeyConstraint("identitiesKey", ["issuer", "subject"])
    .execute();
  await db.schema.createIndex("identitiesByMember").on("identities").columns(["memberId", "createdAt"]).execute();
  await db.schema.createIndex("identitiesBySession").on("identities").column("sessionId").execute();
}

/**
 * One of `memberId` and `keyId` is set. Neither is a foreign key: sessions of a removed member or key are no longer
 * valid.
 */
async function createSessions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sessions")
    .addColumn("id", "text", key)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("memberId", "text")
    .addColumn("keyId", "text")
    .addColumn("secretSha256", "text", required)
    .addColumn("agent", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("lastUsedAt", "bigint")
    .addColumn("expiresAt", "bigint", required)
    .addColumn("pageSecretSha256", "text")
    .execute();
  await db.schema.createIndex("sessionsByExpiresAt").on("sessions").column("expiresAt").execute();
  await db.schema.createIndex("sessionsByKeyId").on("sessions").column("keyId").execute();
  await db.schema.createIndex("sessionsByMemberId").on("sessions").column("memberId").execute();
  await db.schema
    .createTable("signInCodes")
    .addColumn("id", "text", key)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("memberId", "text")
    .addColumn("keyId", "text")
    .addColumn("secretSha256", "text", required)
    .addColumn("expiresAt", "bigint", required)
    .execute();
  await db.schema.createIndex("signInCodesByExpiresAt").on("signInCodes").column("expiresAt").execute();
  await db.schema.createIndex("signInCodesByKeyId").on("signInCodes").column("keyId").execute();
  await db.schema.createIndex("signInCodesByMemberId").on("signInCodes").column("memberId").execute();
}

async function createDevices(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("deviceCodes")
    .addColumn("id", "text", key)
    .addColumn("userCode", "text", unique)
    .addColumn("secretSha256", "text", required)
    .addColumn("name", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("expiresAt", "bigint", required)
    .addColumn("polledAt", "bigint")
    .addColumn("answer", "text")
    .addColumn("memberId", "text")
    .addColumn("organisationId", "text")
    .addColumn("network", "text")
    .addColumn("sessionId", "text")
    .execute();
  await db.schema.createIndex("deviceCodesByExpiresAt").on("deviceCodes").column("expiresAt").execute();
  await db.schema.createIndex("deviceCodesByMemberId").on("deviceCodes").column("memberId").execute();
  await db.schema.createIndex("deviceCodesBySession").on("deviceCodes").column("sessionId").execute();
}
