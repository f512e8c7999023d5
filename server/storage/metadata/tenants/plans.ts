import type { Kysely, Selectable } from "kysely";
import type { Plan } from "../../../domain/plans/plan.ts";
import type { PlanStore } from "../../../domain/ports/organisations.ts";
import { enterEvents } from "./audit.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import type { PlanTable } from "../tables/accounts.ts";

export function planStore(db: Kysely<Schema>): PlanStore {
  return {
    async get(name) {
      const row = await db.selectFrom("plans").selectAll().where("name", "=", name).executeTakeFirst();
      return row && toPlan(row);
    },

    async ofWorkspace(workspaceId) {
      const row = await db
        .selectFrom("workspaces")
        .innerJoin("organisations", "organisations.id", "workspaces.organisationId")
        .innerJoin("plans", "plans.name", "organisations.plan")
        .selectAll("plans")
        .where("workspaces.id", "=", workspaceId)
        .executeTakeFirst();
      return row && toPlan(row).limits;
    },

    async list() {
      const rows = await db.selectFrom("plans").selectAll().orderBy("name").execute();
      return rows.map(toPlan);
    },

    set: ({ name, limits }, event) =>
      inTransaction(db, async (trx) => {
        const { maxUploadBytes, maxStorageBytes, maxRetentionDays, requestsPerMinute, concurrentJobs, maxPages } =
          limits;
        const columns = {
          maxUploadBytes,
          maxStorageBytes,
          maxRetentionDays,
          requestsPerMinute,
          concurrentJobs,
          maxPages,
        };
        await trx
          .insertInto("plans")
          .values({ name, ...columns })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(columns))
          .execute();
        await enterEvents(trx, [event]);
      }),

    delete: (name, event) =>
      inTransaction(db, async (trx) => {
        await trx.selectFrom("plans").select("name").where("name", "=", name).forUpdate().execute();
        const user = await trx
          .selectFrom("organisations")
          .select("id")
          .where("plan", "=", name)
          .limit(1)
          .executeTakeFirst();
        if (user !== undefined) return "in use";
        const { numDeletedRows } = await trx.deleteFrom("plans").where("name", "=", name).executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return "unknown";
        await enterEvents(trx, [event]);
        return "deleted";
      }),
  };
}

function toPlan({ name, ...limits }: Selectable<PlanTable>): Plan {
  return { name, limits };
}
