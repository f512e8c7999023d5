import type { Kysely, Selectable } from "kysely";
import { keyScopes } from "../../domain/caller.ts";
import type { KeyStore, SigningKeyStore } from "../../domain/ports/metadata.ts";
import type { ApiKey } from "../../domain/workspaces/workspace.ts";
import { batches } from "./batches.ts";
import type { ApiKeyTable, Schema } from "./schema.ts";

export function keyStore(db: Kysely<Schema>): KeyStore {
  return {
    async create({ id, organisationId, workspaceId, name, secretSha256, scopes, createdAt, lastUsedAt, revokedAt }) {
      await db
        .insertInto("apiKeys")
        .values({
          id,
          organisationId,
          workspaceId,
          name,
          secretSha256,
          scopes: scopes.join(","),
          createdAt,
          lastUsedAt,
          revokedAt,
        })
        .execute();
    },

    async get(id) {
      const row = await db.selectFrom("apiKeys").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toApiKey(row);
    },

    async list(organisationId, workspaceId) {
      const rows = await db
        .selectFrom("apiKeys")
        .selectAll()
        .where("organisationId", "=", organisationId)
        .$if(workspaceId !== undefined, (query) => query.where("workspaceId", "=", workspaceId ?? null))
        .orderBy("createdAt")
        .orderBy("id")
        .execute();
      return rows.map(toApiKey);
    },

    async revoke(organisationId, id, now) {
      const row = await db
        .updateTable("apiKeys")
        .set(({ fn, ref, val }) => ({ revokedAt: fn.coalesce(ref("revokedAt"), val(now)) }))
        .where("id", "=", id)
        .where("organisationId", "=", organisationId)
        .returningAll()
        .executeTakeFirst();
      return row && toApiKey(row);
    },

    async touch(uses) {
      for (const batch of batches(uses)) {
        await db.transaction().execute(async (trx) => {
          for (const [id, usedAt] of batch) {
            await trx
              .updateTable("apiKeys")
              .set({ lastUsedAt: usedAt })
              .where("id", "=", id)
              .where(({ eb, or }) => or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<", usedAt)]))
              .execute();
          }
        });
      }
    },
  };
}

export function signingKeyStore(db: Kysely<Schema>): SigningKeyStore {
  return {
    list: () => db.selectFrom("signingKeys").selectAll().orderBy("createdAt", "desc").orderBy("id", "desc").execute(),

    async create({ id, secret, createdAt }) {
      await db.insertInto("signingKeys").values({ id, secret, createdAt }).execute();
    },
  };
}

function toApiKey({ scopes, ...key }: Selectable<ApiKeyTable>): ApiKey {
  const granted = new Set(scopes.split(","));
  return { ...key, scopes: keyScopes.filter((scope) => granted.has(scope)) };
}
