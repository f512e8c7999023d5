import type { Kysely } from "kysely";
import type { MemberId } from "../../../domain/ids.ts";
import type { IdentityStore } from "../../../domain/ports/members.ts";
import { enterEvents } from "./audit.ts";
import { insertOrganisation } from "./organisations.ts";
import type { Schema } from "../schema.ts";
import { isThere } from "./sessions.ts";
import type { IdentityTable } from "../tables/accounts.ts";
import { inTransaction } from "../transaction.ts";

const columns = ["issuer", "subject", "organisationId", "memberId", "createdAt"] as const;

export function identityStore(db: Kysely<Schema>): IdentityStore {
  return {
    get: (issuer, subject) =>
      db
        .selectFrom("identities")
        .select(columns)
        .where("issuer", "=", issuer)
        .where("subject", "=", subject)
        .executeTakeFirst(),

    ofMember: (memberId) =>
      db.selectFrom("identities").select(columns).where("memberId", "=", memberId).orderBy("createdAt").execute(),

    link: (identity, { replaces, sessionId }, event) =>
      inTransaction(db, async (trx) => {
        const { organisationId, memberId } = identity;
        const member = await trx
          .selectFrom("members")
          .select("id")
          .where("organisationId", "=", organisationId)
          .where("id", "=", memberId)
          .executeTakeFirst();
        if (member === undefined || !(await isThere(trx, sessionId))) return false;
        if (!(await putIdentity(trx, { ...identity, sessionId }, replaces))) return false;
        await enterEvents(trx, [event]);
        return true;
      }),

    unlink: (memberId, event) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("identities")
          .where("memberId", "=", memberId)
          .executeTakeFirstOrThrow();
        if (numDeletedRows > 0n) await enterEvents(trx, [event]);
      }),

    async join({ identity, member, replaces, invitation, founding }, now, events) {
      try {
        await inTransaction(db, async (trx) => {
          if (invitation !== undefined) {
            // Only one of two concurrent uses deletes the row.
            const { numDeletedRows } = await trx
              .deleteFrom("invitations")
              .where("id", "=", invitation)
              .where("expiresAt", ">", now)
              .executeTakeFirstOrThrow();
            if (numDeletedRows === 0n) throw new Undone("changed");
          }
          if (founding !== undefined && !(await insertOrganisation(trx, founding))) throw new Undone("no plan");
          await trx.insertInto("members").values(member).execute();
          if (!(await putIdentity(trx, { ...identity, sessionId: null }, replaces))) throw new Undone("changed");
          await enterEvents(trx, events);
        });
        return "joined";
      } catch (cause) {
        if (cause instanceof Undone) return cause.outcome;
        throw cause;
      }
    },
  };
}

/**
 * Inserts an identity if `replaces` is undefined; otherwise moves an identity from the member `replaces`. Returns false
 * if the identity belongs to another member.
 */
async function putIdentity(
  trx: Kysely<Schema>,
  identity: IdentityTable,
  replaces: MemberId | undefined,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto("identities")
    .values(identity)
    .onConflict((conflict) =>
      replaces === undefined
        ? conflict.doNothing()
        : conflict.columns(["issuer", "subject"]).doUpdateSet(identity).where("identities.memberId", "=", replaces),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Thrown to roll the transaction back. */
class Undone extends Error {
  readonly outcome: "changed" | "no plan";

  constructor(outcome: "changed" | "no plan") {
    super(outcome);
    this.outcome = outcome;
  }
}
