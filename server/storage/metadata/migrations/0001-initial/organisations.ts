import { type Kysely, sql } from "kysely";
import { primary, required, text, zero } from "./columns.ts";

/**
 * Creates the tables of organisations, plans, workspaces, their API keys, the keys that sign links, and the audit log.
 */
export async function organisations(db: Kysely<unknown>): Promise<void> {
  await createPlans(db);
  await createOrganisations(db);
  await createKeys(db);
  await createAuditLog(db);
}

/** A limit of null means that there is no limit. */
async function createPlans(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("plans")
    .addColumn("name", "text", primary)
    .addColumn("maxUploadBytes", "bigint")
    .addColumn("maxStorageBytes", "bigint")
    .addColumn("maxRetentionDays", "double precision")
    .addColumn("requestsPerMinute", "bigint")
    .addColumn("concurrentJobs", "bigint")
    .addColumn("maxPages", "bigint")
    .execute();
  // The plan of the first organisation, which the first start creates.
  await sql`insert into "plans" ("name") values ('unlimited')`.execute(db);
}

async function createOrganisations(db: Kysely<unknown>): Promise<void> {
  // One organisation is the operator. `plan` is the name of a plan; its index finds the users of a plan before it is
  // removed.
  await db.schema
    .createTable("organisations")
    .addColumn("id", "text", primary)
    .addColumn("name", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("plan", "text", text("unlimited"))
    .addColumn("isOperator", "bigint", zero)
    .execute();
  await db.schema.createIndex("organisationsByPlan").on("organisations").column("plan").execute();
  await db.schema
    .createIndex("organisationsOperator")
    .unique()
    .on("organisations")
    .column("isOperator")
    .where(sql<boolean>`"isOperator" = 1`)
    .execute();
  await db.schema
    .createTable("workspaces")
    .addColumn("id", "text", primary)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("name", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("servedAt", "bigint")
    .addColumn("reindexedAt", "bigint")
    .addUniqueConstraint("workspacesByName", ["organisationId", "name"])
    .execute();
}

async function createKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("apiKeys")
    .addColumn("id", "text", primary)
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id"))
    .addColumn("name", "text", required)
    .addColumn("secretSha256", "text", required)
    .addColumn("scopes", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("lastUsedAt", "bigint")
    .addColumn("revokedAt", "bigint")
    .addColumn("expiresAt", "bigint")
    .addColumn("requestsPerMinute", "bigint")
    .addColumn("replacedBy", "text")
    .addColumn("filter", "text")
    .execute();
  await db.schema.createIndex("apiKeysByOrganisation").on("apiKeys").columns(["organisationId", "createdAt"]).execute();
  await db.schema
    .createTable("signingKeys")
    .addColumn("id", "text", primary)
    .addColumn("secret", "text", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("supersededAt", "bigint")
    .execute();
}

/** The audit log has no foreign keys, because an event outlives its subject. */
async function createAuditLog(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("auditEvents")
    .addColumn("id", "text", primary)
    .addColumn("organisationId", "text", required)
    .addColumn("at", "bigint", required)
    .addColumn("actor", "text", required)
    .addColumn("action", "text", required)
    .addColumn("target", "text", required)
    .addColumn("workspaceId", "text")
    .addColumn("details", "text", required)
    .execute();
  await db.schema
    .createIndex("auditEventsByAction")
    .on("auditEvents")
    .columns(["organisationId", "action", "at", "id"])
    .execute();
  await db.schema
    .createIndex("auditEventsByActor")
    .on("auditEvents")
    .columns(["organisationId", "actor", "at", "id"])
    .execute();
  await db.schema.createIndex("auditEventsByTime").on("auditEvents").columns(["organisationId", "at", "id"]).execute();
}
