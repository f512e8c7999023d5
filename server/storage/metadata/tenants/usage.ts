import { type Kysely, sql } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { UsageStore } from "../../../domain/ports/organisations.ts";
import type { Holdings, DailyUsage } from "../../../domain/usage/usage.ts";
import { batches, byKey } from "../batches.ts";
import { lockOrganisation } from "./organisations.ts";
import type { Schema } from "../schema.ts";
import type { HoldingTable } from "../tables/bookkeeping.ts";
import { inTransaction } from "../transaction.ts";

/** Triggers maintain `holdings`, see migrations/0001-initial/books.ts. No store writes to it. */
export function usageStore(db: Kysely<Schema>): UsageStore {
  return {
    async ofWorkspace(workspaceId) {
      const sums = await db
        .selectFrom("holdings")
        .select(({ fn }) => [
          fn.sum<Sum>("originals").as("originals"),
          fn.sum<Sum>("converted").as("converted"),
          fn.sum<Sum>("parts").as("parts"),
          fn.sum<Sum>("documents").as("documents"),
          fn.sum<Sum>("pages").as("pages"),
        ])
        .where("workspaceId", "=", workspaceId)
        .executeTakeFirstOrThrow();
      return toHoldings(sums);
    },

    recount: (workspaceId) => inTransaction(db, (trx) => recount(trx, workspaceId), "repeatable read"),

    async storage(workspaceId) {
      const { organisationId, plan, maxStorageBytes } = await planOf(db, workspaceId);
      return { plan, maxBytes: maxStorageBytes, storedBytes: await storedBytes(db, organisationId) };
    },

    async requestsSince(workspaceId, month) {
      return db
        .selectFrom("requestCounts")
        .select(["month", "requests"])
        .where("workspaceId", "=", workspaceId)
        .where("month", ">=", month)
        .orderBy("month")
        .execute();
    },

    async addRequests(counts) {
      // All counts are added, or none: after a failure, the caller adds them again.
      await inTransaction(db, async (trx) => {
        for (const batch of batches(byKey(counts, ({ workspaceId, month }) => `${workspaceId} ${month}`))) {
          await trx
            .insertInto("requestCounts")
            .values(batch.map(({ workspaceId, month, requests }) => ({ workspaceId, month, requests })))
            .onConflict((conflict) =>
              conflict.columns(["workspaceId", "month"]).doUpdateSet(({ eb, ref }) => ({
                requests: eb("requestCounts.requests", "+", ref("excluded.requests")),
              })),
            )
            .execute();
        }
      });
    },

    noteDay: (day, oldestKept) => inTransaction(db, (trx) => noteDay(trx, day, oldestKept)),
    history: (workspaceId, days) => historyOf(db, workspaceId, days),
  };
}

/**
 * Whether the plan of the workspace's organisation has room for this number of additional bytes. Call it in the
 * transaction that stores them; no other transaction can take the room before it ends. Zero bytes always fit, even if
 * too much is stored already.
 */
export async function fitsQuota(trx: Kysely<Schema>, workspaceId: WorkspaceId, bytes: number): Promise<boolean> {
  if (bytes <= 0) return true;
  const { organisationId, maxStorageBytes } = await planOf(trx, workspaceId);
  if (maxStorageBytes === null) return true;
  await lockOrganisation(trx, organisationId);
  return (await storedBytes(trx, organisationId)) + bytes <= maxStorageBytes;
}

function planOf(
  db: Kysely<Schema>,
  workspaceId: WorkspaceId,
): Promise<{ organisationId: OrganisationId; plan: string; maxStorageBytes: number | null }> {
  return db
    .selectFrom("workspaces")
    .innerJoin("organisations", "organisations.id", "workspaces.organisationId")
    .innerJoin("plans", "plans.name", "organisations.plan")
    .select(["workspaces.organisationId", "organisations.plan", "plans.maxStorageBytes"])
    .where("workspaces.id", "=", workspaceId)
    .executeTakeFirstOrThrow();
}

async function storedBytes(db: Kysely<Schema>, organisationId: OrganisationId): Promise<number> {
  const { bytes } = await db
    .selectFrom("workspaces")
    .innerJoin("holdings", "holdings.workspaceId", "workspaces.id")
    .select(sql<number | string | null>`sum("originals" + "converted" + "parts")`.as("bytes"))
    .where("organisationId", "=", organisationId)
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

async function recount(trx: Kysely<Schema>, workspaceId: WorkspaceId): Promise<Holdings> {
  const datasets = await trx
    .selectFrom("datasets")
    .select(({ fn }) => [
      fn.sum<Sum>("fileSize").as("originals"),
      fn.sum<Sum>("convertedSize").as("converted"),
      fn.sum<Sum>("itemCount").as("pages"),
      fn.countAll<number | string>().as("documents"),
    ])
    .where("workspaceId", "=", workspaceId)
    .executeTakeFirstOrThrow();
  const { parts } = await trx
    .selectFrom("uploadParts")
    .innerJoin("uploads", "uploads.key", "uploadParts.uploadKey")
    .select(({ fn }) => fn.sum<Sum>("uploadParts.size").as("parts"))
    .where("uploads.workspaceId", "=", workspaceId)
    .where("uploads.jobId", "is", null)
    .executeTakeFirstOrThrow();
  return toHoldings({ ...datasets, parts });
}

type HeldColumn = Exclude<keyof HoldingTable, "workspaceId" | "shard">;

/** Null if there were no rows to add up. */
type Sum = number | string | null;

function toHoldings({ originals, converted, parts, documents, pages }: Record<HeldColumn, Sum>): Holdings {
  const count = (sum: Sum): number => Number(sum ?? 0);
  return {
    stored: { originals: count(originals), converted: count(converted), parts: count(parts) },
    documents: count(documents),
    pages: count(pages),
  };
}

/** Records the usage of a day, in one statement for all workspaces. Rows that are up to date are not written. */
async function noteDay(trx: Kysely<Schema>, day: string, oldestKept: string): Promise<void> {
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

async function historyOf(
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
