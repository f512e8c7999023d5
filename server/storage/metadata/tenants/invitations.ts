import type { Kysely } from "kysely";
import type { InvitationStore } from "../../../domain/ports/members.ts";
import { enterEvents } from "./audit.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

export function invitationStore(db: Kysely<Schema>): InvitationStore {
  return {
    create: (invitation, event) =>
      inTransaction(db, async (trx) => {
        const { id, organisationId, name, email, role, secretSha256, createdAt, expiresAt } = invitation;
        await trx
          .deleteFrom("invitations")
          .where("organisationId", "=", organisationId)
          .where("expiresAt", "<=", createdAt)
          .execute();
        await trx
          .insertInto("invitations")
          .values({ id, organisationId, name, email, role, secretSha256, createdAt, expiresAt })
          .execute();
        await enterEvents(trx, [event]);
      }),

    get: (id) => db.selectFrom("invitations").selectAll().where("id", "=", id).executeTakeFirst(),

    listByEmail: (email, now) =>
      db
        .selectFrom("invitations")
        .selectAll()
        .where("email", "=", email)
        .where("expiresAt", ">", now)
        .orderBy("createdAt", "desc")
        .orderBy("id", "desc")
        .execute(),

    list: (organisationId, now) =>
      db
        .selectFrom("invitations")
        .selectAll()
        .where("organisationId", "=", organisationId)
        .where("expiresAt", ">", now)
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),

    revoke: (organisationId, id, now, event) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("invitations")
          .where("id", "=", id)
          .where("organisationId", "=", organisationId)
          .where("expiresAt", ">", now)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await enterEvents(trx, [event]);
        return true;
      }),

    accept: (id, { member, token }, now, event) =>
      inTransaction(db, async (trx) => {
        // Of two concurrent calls only one deletes the row.
        const { numDeletedRows } = await trx
          .deleteFrom("invitations")
          .where("id", "=", id)
          .where("expiresAt", ">", now)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await trx.insertInto("members").values(member).execute();
        await trx
          .insertInto("personalTokens")
          .values({ ...token, sessionId: null })
          .execute();
        await enterEvents(trx, [event]);
        return true;
      }),
  };
}
