import type { Kysely } from "kysely";
import type { AuditEvent } from "../../../domain/audit/event.ts";
import type { Member } from "../../../domain/members/member.ts";
import type { MemberChange, MemberStore, InvitationStore } from "../../../domain/ports/members.ts";
import { enterEvents } from "./audit.ts";
import { lockOrganisation } from "./organisations.ts";
import { endSessionsOf } from "./sessions.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { noteUses } from "../uses.ts";

export function memberStore(db: Kysely<Schema>): MemberStore {
  return {
    list: (organisationId) =>
      db
        .selectFrom("members")
        .selectAll()
        .where("organisationId", "=", organisationId)
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),

    get: (organisationId, id) =>
      db
        .selectFrom("members")
        .selectAll()
        .where("id", "=", id)
        .where("organisationId", "=", organisationId)
        .executeTakeFirst(),

    setRole: (member, role, event) =>
      changeMember(db, member, event, async (trx) => {
        await trx.updateTable("members").set({ role }).where("id", "=", member.id).execute();
      }),

    remove: (member, event) =>
      changeMember(db, member, event, async (trx) => {
        await trx.deleteFrom("personalTokens").where("memberId", "=", member.id).execute();
        await endSessionsOf(trx, member.id);
        await trx.deleteFrom("members").where("id", "=", member.id).execute();
      }),

    async findToken(id) {
      const row = await db
        .selectFrom("personalTokens as token")
        .innerJoin("members as member", "member.id", "token.memberId")
        .selectAll("member")
        .select([
          "token.id as tokenId",
          "token.name as tokenName",
          "token.secretSha256",
          "token.createdAt as signedInAt",
        ])
        .where("token.id", "=", id)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const { tokenId, tokenName, secretSha256, signedInAt, ...member } = row;
      return {
        member,
        token: { id: tokenId, memberId: member.id, name: tokenName, secretSha256, createdAt: signedInAt },
      };
    },

    tokens: (id) =>
      db
        .selectFrom("personalTokens")
        .selectAll()
        .where("memberId", "=", id)
        .orderBy("createdAt")
        .orderBy("id")
        .execute(),

    removeToken: (id, event) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("personalTokens")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 1n) await enterEvents(trx, [event]);
      }),

    touch: (uses) => noteUses(db, "members", uses),
  };
}

/**
 * Changes a member. Returns "changed" if the member no longer has the role that the caller knows, and "last owner" if
 * the organisation would be left without an owner.
 */
function changeMember(
  db: Kysely<Schema>,
  { id, organisationId, role }: Member,
  event: AuditEvent,
  change: (trx: Kysely<Schema>) => Promise<void>,
): Promise<MemberChange> {
  return inTransaction(db, async (trx) => {
    await lockOrganisation(trx, organisationId);
    const owners = trx
      .selectFrom("members")
      .select("id")
      .where("organisationId", "=", organisationId)
      .where("role", "=", "owner");
    const present = await trx
      .selectFrom("members")
      .select("id")
      .where("id", "=", id)
      .where("organisationId", "=", organisationId)
      .where("role", "=", role)
      .executeTakeFirst();
    if (present === undefined) return "changed";
    if (role === "owner" && (await owners.limit(2).execute()).length < 2) return "last owner";
    await change(trx);
    await enterEvents(trx, [event]);
    return "done";
  });
}

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
        // Only one of two concurrent calls deletes the row.
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
