import { type Kysely, sql } from "kysely";
import type { WorkspaceId } from "../../../domain/ids.ts";
import type { DailyUsage } from "../../../domain/usage/usage.ts";
import type { Schema } from "../schema.ts";

/** In one statement for all workspaces; rows that say the same already are left alone. */
export async function noteDay(trx: Kysely<Schema>, day: string, oldestKept: string): Promise<void> {
  await sql`insert into "dailyUsage" ("workspaceId", "day", "storedBytes", "documents", "pages")
    select "workspaces"."id", ${day}, coalesce(sum("originals" + "converted" + "parts"), 0),
      coalesce(sum("documents"), 0), coalesce(sum("pages"), 0)
    from "workspaces" left join "holdings" on "holdings"."workspaceId" = "workspaces"."id"
    where true group by "workspaces"."id"
    on conflict ("workspaceId", "day") do update set
      "storedBytes" = excluded."storedBytes", "documents" = excluded."documents", "pages" = excluded."pages"
    where "dailyUsage"."storedBytes" <> excluded."storedBytes" or "dailyUsage"."documents" <> excluded."documents"
      or "dailyUsage"."pages" <> excluded."pages"`.execute(trx);
  await trx.deleteFrom("dailyUsage").where("day", "<", oldestKept).execute();
}

export async function historyOf(
  db: Kysely<Schema>,
  workspaceId: WorkspaceId,
  { from, before }: { readonly from: string; readonly before: string },
): Promise<readonly DailyUsage[]> {
  const rows = await db
    .selectFrom("dailyUsage as own")
    .innerJoin("workspaces as here", "here.id", "own.workspaceId")
    .innerJoin("workspaces as every", "every.organisationId", "here.organisationId")
    .innerJoin("dailyUsage as held", (join) =>
      join.onRef("held.workspaceId", "=", "every.id").onRef("held.day", "=", "own.day"),
    )
    .select(({ fn }) => [
      "own.day",
      "own.storedBytes",
      "own.documents",
      "own.pages",
      fn.sum<number | string>("held.storedBytes").as("organisationStoredBytes"),
    ])
    .where("own.workspaceId", "=", workspaceId)
    .where("own.day", ">=", from)
    .where("own.day", "<", before)
    .groupBy(["own.day", "own.storedBytes", "own.documents", "own.pages"])
    .orderBy("own.day")
    .execute();
  return rows.map(({ organisationStoredBytes, ...row }) => ({
    ...row,
    organisationStoredBytes: Number(organisationStoredBytes),
  }));
}
