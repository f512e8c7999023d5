import { sql, type Kysely } from "kysely";
import type { OrganisationId } from "../../../domain/ids.ts";
import type { WorkspaceStore } from "../../../domain/ports/workspaces.ts";
import { enterEvents } from "./audit.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

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
      // A workspace may bear the id of another as its name: the id wins.
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
