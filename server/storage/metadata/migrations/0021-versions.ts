import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";
import { tellOfJob } from "./0019-webhooks.ts";

/**
 * New versions of documents: datasets with an id of their own, which callers know by the id of the first. While one is read
 * its type is `pending`, which no list has, neither of this version nor of the one before.
 */
export async function versions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const table of ["datasets", "jobs", "uploads"]) {
    await db.schema.alterTable(table).addColumn("versionOf", "text").execute();
  }
  // A dataset has one version that is read, and one that serves.
  await sql`create unique index "datasetsByVersion" on "datasets" ("versionOf", "type")
    where "versionOf" is not null`.execute(db);
  await sql`create index "pendingVersions" on "datasets" ("workspaceId", "id") where "type" = 'pending'`.execute(db);
  await engine.dropTrigger(db, "tellOfJob", "jobs");
  await engine.createTrigger(db, tellOfJob(engine, sql`coalesce(new."versionOf", new."datasetId")`));
}
