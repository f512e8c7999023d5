import type { Kysely } from "kysely";

/** What each workspace held at the end of each day; the audit log by who did it. */
export async function history(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("dailyUsage")
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("day", "text", (column) => column.notNull())
    .addColumn("storedBytes", "bigint", (column) => column.notNull())
    .addColumn("documents", "bigint", (column) => column.notNull())
    .addColumn("pages", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("dailyUsageKey", ["workspaceId", "day"])
    .execute();
  // The oldest days are removed.
  await db.schema.createIndex("dailyUsageByDay").on("dailyUsage").column("day").execute();
  await db.schema
    .createIndex("auditEventsByActor")
    .on("auditEvents")
    .columns(["organisationId", "actor", "at", "id"])
    .execute();
}
