import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../engine.ts";

/**
 * Has organisations take turns, and the workspaces of each within its own: a line of organisations, with those out of it, whose
 * `since` is null, and a line of workspaces for each. `turnsInOrder` serves the version before.
 */
export async function organisationTurns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // Nothing enters the lines from here on, until this is done.
  for (const name of ["queueTurn", "queueTurnAgain"]) await engine.dropTrigger(db, name, "jobs");
  await db.schema
    .createTable("organisationTurns")
    .addColumn("organisationId", "text", (column) => column.primaryKey().notNull())
    .addColumn("servedAt", "bigint", (column) => column.notNull())
    .addColumn("since", "bigint")
    .execute();
  await db.schema
    .createIndex("organisationTurnsInOrder")
    .on("organisationTurns")
    .columns(["servedAt", "since", "organisationId"])
    .where(sql<boolean>`"since" is not null`)
    .execute();
  await sql`insert into "organisationTurns" ("organisationId", "servedAt", "since")
    select "organisationId", max(coalesce("turns"."servedAt", "workspaces"."servedAt", 0)), min("since")
    from "workspaces" left join "turns" on "turns"."workspaceId" = "workspaces"."id"
    group by "organisationId"`.execute(db);
  await db.schema
    .alterTable("turns")
    .addColumn("organisationId", "text", (column) => column.references("organisationTurns.organisationId"))
    .execute();
  await sql`update "turns" set "organisationId" =
    (select "organisationId" from "workspaces" where "workspaces"."id" = "turns"."workspaceId")`.execute(db);
  await db.schema
    .createIndex("turnsOfOrganisation")
    .on("turns")
    .columns(["organisationId", "servedAt", "since", "workspaceId"])
    .execute();
  await engine.createTrigger(db, { name: "queueTurn", table: "jobs", after: "insert", run: enter(sql`true`) });
  await engine.createTrigger(db, {
    name: "queueTurnAgain",
    table: "jobs",
    after: "update",
    of: ["finishedAt"],
    run: enter(sql`old."finishedAt" is not null`),
  });
}

/**
 * Nothing is written, and nothing waited for, where workspace and organisation are in their lines already. By its reference the
 * row of a workspace keeps that of its organisation from being taken out of the line.
 */
function enter(condition: RawBuilder<unknown>): readonly RawBuilder<unknown>[] {
  const entering = sql`"workspaces"."id" = new."workspaceId" and new."finishedAt" is null and ${condition}`;
  return [
    sql`insert into "organisationTurns" ("organisationId", "servedAt", "since")
      select "organisationId", 0, new."createdAt" from "workspaces" where ${entering} and not exists (
        select 1 from "organisationTurns" as "known" where "known"."organisationId" = "workspaces"."organisationId")
      on conflict ("organisationId") do nothing`,
    sql`insert into "turns" ("workspaceId", "organisationId", "servedAt", "since")
      select "id", "organisationId", coalesce("servedAt", 0), new."createdAt" from "workspaces"
      where ${entering} and not exists (select 1 from "turns" as "known" where "known"."workspaceId" = "workspaces"."id")
      on conflict ("workspaceId") do nothing`,
    sql`update "organisationTurns" set "since" = new."createdAt"
      where "since" is null and "organisationId" = (select "organisationId" from "workspaces" where ${entering})`,
  ];
}
