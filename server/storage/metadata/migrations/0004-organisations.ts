import { sql, type Kysely } from "kysely";

/** Plans, members and the audit log; keys that expire or are replaced. */
export async function organisations(db: Kysely<unknown>): Promise<void> {
  await plans(db);
  await people(db);
  await db.schema.alterTable("apiKeys").addColumn("expiresAt", "bigint").execute();
  await db.schema.alterTable("apiKeys").addColumn("requestsPerMinute", "bigint").execute();
  await db.schema.alterTable("apiKeys").addColumn("replacedBy", "text").execute();
  // No references: what is told of may be gone.
  await db.schema
    .createTable("auditEvents")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("organisationId", "text", (column) => column.notNull())
    .addColumn("at", "bigint", (column) => column.notNull())
    .addColumn("actor", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("workspaceId", "text")
    .addColumn("details", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("auditEventsByTime").on("auditEvents").columns(["organisationId", "at", "id"]).execute();
}

async function plans(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("plans")
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("maxUploadBytes", "bigint")
    .addColumn("maxStorageBytes", "bigint")
    .addColumn("maxRetentionDays", "double precision")
    .addColumn("requestsPerMinute", "bigint")
    .addColumn("concurrentJobs", "bigint")
    .addColumn("maxPages", "bigint")
    .execute();
  await sql`insert into "plans" ("name") values ('unlimited')`.execute(db);
  await db.schema
    .alterTable("organisations")
    .addColumn("plan", "text", (column) => column.notNull().defaultTo("unlimited"))
    .execute();
  await db.schema
    .alterTable("organisations")
    .addColumn("isOperator", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  // Until now the first start made the only organisation.
  await sql`update "organisations" set "isOperator" = 1
    where "id" = (select "id" from "organisations" order by "createdAt", "id" limit 1)`.execute(db);
  await db.schema
    .createIndex("organisationsOperator")
    .unique()
    .on("organisations")
    .column("isOperator")
    .where(sql<boolean>`"isOperator" = 1`)
    .execute();
  await db.schema.createIndex("organisationsByPlan").on("organisations").column("plan").execute();
}

async function people(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("members")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("lastUsedAt", "bigint")
    .execute();
  await db.schema.createIndex("membersByOrganisation").on("members").columns(["organisationId", "createdAt"]).execute();
  await db.schema
    .createTable("personalTokens")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("memberId", "text", (column) => column.notNull().references("members.id"))
    .addColumn("secretSha256", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("personalTokensByMember").on("personalTokens").column("memberId").execute();
  await db.schema
    .createTable("invitations")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("organisationId", "text", (column) => column.notNull().references("organisations.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("secretSha256", "text", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("invitationsByOrganisation")
    .on("invitations")
    .columns(["organisationId", "createdAt"])
    .execute();
}
