import { sql, type Kysely } from "kysely";

/** Lets workspaces take turns in the queue: when each was served last, and its unfinished jobs in their order. */
export async function turns(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("workspaces").addColumn("servedAt", "bigint").execute();
  await db.schema.dropIndex("jobsUnfinished").execute();
  await db.schema
    .createIndex("jobsUnfinished")
    .on("jobs")
    .columns(["workspaceId", "createdAt", "id", "leaseOwner", "leaseUntil"])
    .where(sql<boolean>`"finishedAt" is null`)
    .execute();
}
