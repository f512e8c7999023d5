import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../engine.ts";

/**
 * The workspaces that have unfinished jobs, in the order of their turns: a worker reads the first few, however many there are.
 * A row comes with the first job, and goes when a worker finds that there is none left.
 */
export async function turnsOfWorkspaces(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("turns")
    .addColumn("workspaceId", "text", (column) => column.primaryKey().notNull())
    .addColumn("servedAt", "bigint", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("turnsInOrder").on("turns").columns(["servedAt", "since", "workspaceId"]).execute();
  await sql`insert into "turns" ("workspaceId", "servedAt", "since")
    select "workspaces"."id", coalesce("workspaces"."servedAt", 0), min("jobs"."createdAt")
    from "jobs" join "workspaces" on "workspaces"."id" = "jobs"."workspaceId"
    where "jobs"."finishedAt" is null group by "workspaces"."id", "workspaces"."servedAt"`.execute(db);
  await engine.createTrigger(db, { name: "queueTurn", table: "jobs", after: "insert", run: [enter(sql`true`)] });
  await engine.createTrigger(db, {
    name: "queueTurnAgain",
    table: "jobs",
    after: "update",
    of: ["finishedAt"],
    run: [enter(sql`old."finishedAt" is not null`)],
  });
}

/** Nothing is written, and nothing waited for, where the workspace is in the line already. */
function enter(condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`insert into "turns" ("workspaceId", "servedAt", "since")
    select "id", coalesce("servedAt", 0), new."createdAt" from "workspaces"
    where "id" = new."workspaceId" and new."finishedAt" is null and ${condition}
    on conflict ("workspaceId") do nothing`;
}
