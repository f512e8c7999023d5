import { type Kysely, type Selectable, sql } from "kysely";
import type { OrganisationId } from "../../../domain/ids.ts";
import type { Organisation } from "../../../domain/workspaces/workspace.ts";
import type { Founding, OrganisationStore, PlanStore } from "../../../domain/ports/organisations.ts";
import { enterEvents } from "./audit.ts";
import { insertKey } from "./keys.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import type { OrganisationTable, PlanTable } from "../tables/accounts.ts";
import type { WorkspaceStore } from "../../../domain/ports/organisations.ts";
import type { Plan } from "../../../domain/plans/plan.ts";

export function organisationStore(db: Kysely<Schema>): OrganisationStore {
  return {
    create: ({ organisation, workspace, key }, events) =>
      inTransaction(db, async (trx) => {
        if (!(await insertOrganisation(trx, { organisation, workspace }))) return false;
        await insertKey(trx, key);
        await enterEvents(trx, events);
        return true;
      }),

    async get(id) {
      const row = await db.selectFrom("organisations").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toOrganisation(row);
    },

    async operator() {
      const row = await db.selectFrom("organisations").selectAll().where("isOperator", "=", 1).executeTakeFirst();
      return row && toOrganisation(row);
    },

    async list() {
      const rows = await db.selectFrom("organisations").selectAll().orderBy("createdAt").orderBy("id").execute();
      return rows.map(toOrganisation);
    },

    update: (id, { name, plan }, events) =>
      inTransaction(db, async (trx) => {
        const row = await lockOrganisation(trx, id);
        if (row === undefined) return undefined;
        if (plan !== undefined && !(await hasPlan(trx, plan))) return "no plan";
        const changed = { ...row, name: name ?? row.name, plan: plan ?? row.plan };
        await trx
          .updateTable("organisations")
          .set({ name: changed.name, plan: changed.plan })
          .where("id", "=", id)
          .execute();
        await enterEvents(trx, events);
        return toOrganisation(changed);
      }),
  };
}

/**
 * Inserts an organisation with a workspace. Writes nothing and returns false if there is no such plan, or if another
 * organisation already runs the service.
 */
export async function insertOrganisation(
  trx: Kysely<Schema>,
  { organisation, workspace }: Pick<Founding, "organisation" | "workspace">,
): Promise<boolean> {
  if (!(await hasPlan(trx, organisation.plan))) return false;
  const { id, name, createdAt, plan, isOperator } = organisation;
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("organisations")
    .values({ id, name, createdAt, plan, isOperator: isOperator ? 1 : 0 })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (numInsertedOrUpdatedRows !== 1n) return false;
  await trx.insertInto("workspaces").values(workspace).execute();
  return true;
}

/** Locks the organisation for rules that count what it has; other transactions that do the same have to wait. */
export async function lockOrganisation(
  trx: Kysely<Schema>,
  id: OrganisationId,
): Promise<Selectable<OrganisationTable> | undefined> {
  return trx.selectFrom("organisations").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}

async function hasPlan(trx: Kysely<Schema>, name: string): Promise<boolean> {
  const plan = trx.selectFrom("plans").select("name").where("name", "=", name);
  // The lock prevents the plan from being deleted before the transaction that uses it has been committed.
  return (await plan.forKeyShare().executeTakeFirst()) !== undefined;
}

function toOrganisation({ isOperator, ...organisation }: Selectable<OrganisationTable>): Organisation {
  return { ...organisation, isOperator: isOperator === 1 };
}

export function workspaceStore(db: Kysely<Schema>): WorkspaceStore {
  return {
    create: ({ id, organisationId, name, createdAt }, event) =>
      inTransaction(db, async (trx) => {
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("workspaces")
          .values({ id, organisationId, name, createdAt })
          .onConflict((conflict) => conflict.columns(["organisationId", "name"]).doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return false;
        await enterEvents(trx, [event]);
        return true;
      }),

    async find(organisationId, idOrName) {
      const found = await db
        .selectFrom("workspaces")
        .selectAll()
        .where("organisationId", "=", organisationId)
        .where(({ eb, or }) => or([eb(sql.ref<string>("id"), "=", idOrName), eb("name", "=", idOrName)]))
        .execute();
      // The name of a workspace may be the id of another one; the id takes precedence.
      return found.find(({ id }) => id === idOrName) ?? found[0];
    },

    oldest: (organisationId) => byAge(db, organisationId).limit(1).executeTakeFirst(),

    list: (organisationId) => byAge(db, organisationId).execute(),
  };
}

function byAge(db: Kysely<Schema>, organisationId: OrganisationId) {
  return db
    .selectFrom("workspaces")
    .select(["id", "organisationId", "name", "createdAt"])
    .where("organisationId", "=", organisationId)
    .orderBy("createdAt")
    .orderBy("id");
}

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
