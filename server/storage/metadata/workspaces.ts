import { sql, type Kysely } from "kysely";
import type { WorkspaceStore } from "../../domain/ports/metadata.ts";
import type { Schema } from "./schema.ts";

export function workspaceStore(db: Kysely<Schema>): WorkspaceStore {
  return {
    async createOrganisation({ id, name, createdAt }) {
      await db.insertInto("organisations").values({ id, name, createdAt }).execute();
    },

    firstOrganisation: () =>
      db.selectFrom("organisations").selectAll().orderBy("createdAt").orderBy("id").limit(1).executeTakeFirst(),

    async create({ id, organisationId, name, createdAt }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("workspaces")
        .values({ id, organisationId, name, createdAt })
        .onConflict((conflict) => conflict.columns(["organisationId", "name"]).doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

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

    list: (organisationId) =>
      db
        .selectFrom("workspaces")
        .selectAll()
        .where("organisationId", "=", organisationId)
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),
  };
}
