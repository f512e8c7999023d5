import type { Kysely, Selectable } from "kysely";
import { keyScopes } from "../../../domain/caller.ts";
import type { KeyStore } from "../../../domain/ports/organisations.ts";
import type { ApiKey } from "../../../domain/workspaces/workspace.ts";
import { enterEvents } from "./audit.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { noteUses } from "../uses.ts";
import type { ApiKeyTable } from "../tables/accounts.ts";
import { unlessWritten } from "../unless-written.ts";

export function keyStore(db: Kysely<Schema>, engine: Engine): KeyStore {
  return {
    create: (key, event) =>
      inTransaction(db, async (trx) => {
        await insertKey(trx, key);
        await enterEvents(trx, [event]);
      }),

    get: unlessWritten(engine, async (id) => {
      const row = await db.selectFrom("apiKeys").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toApiKey(row);
    }),

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

    revoke: (organisationId, id, now, event) =>
      inTransaction(db, async (trx) => {
        const revoked = await trx
          .updateTable("apiKeys")
          .set({ revokedAt: now })
          .where("id", "=", id)
          .where("organisationId", "=", organisationId)
          .where("revokedAt", "is", null)
          .returningAll()
          .executeTakeFirst();
        if (revoked !== undefined) {
          await enterEvents(trx, [event]);
          return toApiKey(revoked);
        }
        const row = await trx
          .selectFrom("apiKeys")
          .selectAll()
          .where("id", "=", id)
          .where("organisationId", "=", organisationId)
          .executeTakeFirst();
        return row && toApiKey(row);
      }),

    rotate: (id, successor, oldExpiresAt, event) =>
      inTransaction(db, async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("apiKeys")
          .set({ replacedBy: successor.id, expiresAt: oldExpiresAt })
          .where("id", "=", id)
          .where("revokedAt", "is", null)
          .where("replacedBy", "is", null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await insertKey(trx, successor);
        await enterEvents(trx, [event]);
        return true;
      }),

    touch: (uses) => noteUses(db, "apiKeys", uses),
  };
}

/**
 * Inserts a key. Call it in the transaction that inserts the audit event. It selects the columns, because an issued key
 * also contains its secret.
 */
export async function insertKey(trx: Kysely<Schema>, key: ApiKey): Promise<void> {
  const { id, organisationId, workspaceId, name, secretSha256, createdAt, lastUsedAt, revokedAt } = key;
  const { scopes, expiresAt, requestsPerMinute, filter, replacedBy } = key;
  await trx
    .insertInto("apiKeys")
    .values({
      id,
      organisationId,
      workspaceId,
      name,
      secretSha256,
      scopes: scopes.map((scope) => (filter === null ? scope : `${boundPrefix}${scope}`)).join(","),
      createdAt,
      lastUsedAt,
      revokedAt,
      expiresAt,
      requestsPerMinute,
      filter,
      replacedBy,
    })
    .execute();
}

/**
 * Prefix of the scopes of a key that is bound to a filter. An older version of drs, which does not know filters and may
 * run beside this one, finds no scope that it knows. The key can therefore do nothing there, instead of having access
 * to everything.
 */
const boundPrefix = "bound:";

function toApiKey({ scopes, ...key }: Selectable<ApiKeyTable>): ApiKey {
  const prefix = key.filter === null ? "" : boundPrefix;
  const granted = new Set(scopes.split(","));
  return { ...key, scopes: keyScopes.filter((scope) => granted.has(`${prefix}${scope}`)) };
}
