import type { Kysely, Selectable } from "kysely";
import type { SessionStore } from "../../../domain/ports/members.ts";
import type { Holder, Session, SignInCode } from "../../../domain/sessions/session.ts";
import { enterEvents } from "./audit.ts";
import type { Schema } from "../schema.ts";
import type { SessionTable, SignInCodeTable } from "../tables/accounts.ts";
import { inTransaction } from "../transaction.ts";
import { noteUses } from "../uses.ts";

export function sessionStore(db: Kysely<Schema>): SessionStore {
  return {
    create: (session, event) =>
      inTransaction(db, async (trx) => {
        await trx.deleteFrom("sessions").where("expiresAt", "<=", session.createdAt).execute();
        await trx.deleteFrom("signInCodes").where("expiresAt", "<=", session.createdAt).execute();
        const { holder, ...row } = session;
        await trx
          .insertInto("sessions")
          .values({ ...row, ...columnsOf(holder) })
          .execute();
        await enterEvents(trx, [event]);
      }),

    async get(id) {
      const row = await db.selectFrom("sessions").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toSession(row);
    },

    async list(holder) {
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .$if(holder.kind === "member", (query) => query.where("memberId", "=", columnsOf(holder).memberId))
        .$if(holder.kind === "key", (query) => query.where("keyId", "=", columnsOf(holder).keyId))
        .orderBy("createdAt")
        .orderBy("id")
        .execute();
      return rows.map(toSession);
    },

    end: (holder, id, { isDistrusted, event }) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("sessions")
          .where("id", "=", id)
          .$if(holder.kind === "member", (query) => query.where("memberId", "=", columnsOf(holder).memberId))
          .$if(holder.kind === "key", (query) => query.where("keyId", "=", columnsOf(holder).keyId))
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        for (const table of isDistrusted ? (["deviceCodes", "personalTokens", "identities"] as const) : [])
          await trx.deleteFrom(table).where("sessionId", "=", id).execute();
        await enterEvents(trx, [event]);
        return true;
      }),

    touch: (uses) => noteUses(db, "sessions", uses),

    async createCode({ holder, ...row }) {
      await db
        .insertInto("signInCodes")
        .values({ ...row, ...columnsOf(holder) })
        .execute();
    },

    async getCode(id) {
      const row = await db.selectFrom("signInCodes").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toCode(row);
    },

    async useCode(id) {
      // Only one of two concurrent calls deletes the row.
      const { numDeletedRows } = await db.deleteFrom("signInCodes").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows === 1n;
    },
  };
}

/** Whether the session exists. If so, it cannot end before this transaction does. True if `id` is null. */
export async function isThere(trx: Kysely<Schema>, id: SessionTable["id"] | null): Promise<boolean> {
  if (id === null) return true;
  const row = await trx.selectFrom("sessions").select("id").where("id", "=", id).forKeyShare().executeTakeFirst();
  return row !== undefined;
}

/** Removes the sessions, sign-in codes and device codes of a member. */
export async function endSessionsOf(trx: Kysely<Schema>, memberId: SessionTable["memberId"]): Promise<void> {
  await trx.deleteFrom("sessions").where("memberId", "=", memberId).execute();
  await trx.deleteFrom("signInCodes").where("memberId", "=", memberId).execute();
  await trx.deleteFrom("deviceCodes").where("memberId", "=", memberId).execute();
}

function columnsOf(holder: Holder) {
  return {
    memberId: holder.kind === "member" ? holder.memberId : null,
    keyId: holder.kind === "key" ? holder.keyId : null,
  };
}

function holderOf({ memberId, keyId }: Pick<Selectable<SessionTable>, "memberId" | "keyId">): Holder {
  if (memberId !== null) return { kind: "member", memberId };
  if (keyId !== null) return { kind: "key", keyId };
  throw new Error("a session of nobody");
}

function toSession({ memberId, keyId, ...row }: Selectable<SessionTable>): Session {
  return { ...row, holder: holderOf({ memberId, keyId }) };
}

function toCode({ memberId, keyId, ...row }: Selectable<SignInCodeTable>): SignInCode {
  return { ...row, holder: holderOf({ memberId, keyId }) };
}
