import type { Kysely, Selectable } from "kysely";
import type { OrganisationId } from "../../../domain/ids.ts";
import type { Organisation } from "../../../domain/organisations/organisation.ts";
import type { Founding, OrganisationStore } from "../../../domain/ports/organisations.ts";
import { enterEvents } from "./audit.ts";
import { insertKey } from "./keys.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import type { OrganisationTable } from "../tables/accounts.ts";

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

/** False, and nothing is written, if there is no such plan, or another organisation runs the service already. */
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

/** The organisation, for rules that count what belongs to it: other transactions which do the same wait. */
export async function lockOrganisation(
  trx: Kysely<Schema>,
  id: OrganisationId,
): Promise<Selectable<OrganisationTable> | undefined> {
  return trx.selectFrom("organisations").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
}

async function hasPlan(trx: Kysely<Schema>, name: string): Promise<boolean> {
  const plan = trx.selectFrom("plans").select("name").where("name", "=", name);
  // It is not deleted before the organisation that gets it is seen.
  return (await plan.forKeyShare().executeTakeFirst()) !== undefined;
}

function toOrganisation({ isOperator, ...organisation }: Selectable<OrganisationTable>): Organisation {
  return { ...organisation, isOperator: isOperator === 1 };
}
