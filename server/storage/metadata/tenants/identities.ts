import type { Kysely } from "kysely";
import type { IdentityStore } from "../../../domain/ports/identities.ts";
import { enterEvents } from "./audit.ts";
import { insertOrganisation } from "./organisations.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

export function identityStore(db: Kysely<Schema>): IdentityStore {
  return {
    get: (issuer, subject) =>
      db
        .selectFrom("identities")
        .selectAll()
        .where("issuer", "=", issuer)
        .where("subject", "=", subject)
        .executeTakeFirst(),

    async join({ identity, member, replaces, invitation, founding }, now, events) {
      try {
        await inTransaction(db, async (trx) => {
          if (invitation !== undefined) {
            // Of two concurrent uses only one deletes the row.
            const { numDeletedRows } = await trx
              .deleteFrom("invitations")
              .where("id", "=", invitation)
              .where("expiresAt", ">", now)
              .executeTakeFirstOrThrow();
            if (numDeletedRows === 0n) throw new Undone("changed");
          }
          if (founding !== undefined && !(await insertOrganisation(trx, founding))) throw new Undone("no plan");
          await trx.insertInto("members").values(member).execute();
          const { numInsertedOrUpdatedRows } = await trx
            .insertInto("identities")
            .values(identity)
            .onConflict((conflict) =>
              replaces === undefined
                ? conflict.doNothing()
                : conflict
                    .columns(["issuer", "subject"])
                    .doUpdateSet(identity)
                    .where("identities.memberId", "=", replaces),
            )
            .executeTakeFirstOrThrow();
          if (numInsertedOrUpdatedRows !== 1n) throw new Undone("changed");
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

/** Has the transaction undone. */
class Undone extends Error {
  readonly outcome: "changed" | "no plan";

  constructor(outcome: "changed" | "no plan") {
    super(outcome);
    this.outcome = outcome;
  }
}
