import type { Kysely } from "kysely";
import type { DeviceStore } from "../../../domain/ports/members.ts";
import { enterEvents } from "./audit.ts";
import type { Schema } from "../schema.ts";
import { isThere } from "./sessions.ts";
import { inTransaction } from "../transaction.ts";

export function deviceStore(db: Kysely<Schema>): DeviceStore {
  return {
    create: (device, maxWaiting) =>
      inTransaction(db, async (trx) => {
        await trx.deleteFrom("deviceCodes").where("expiresAt", "<=", device.createdAt).execute();
        await makeRoom(trx, maxWaiting);
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto("deviceCodes")
          .values(device)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        return numInsertedOrUpdatedRows === 1n ? "created" : "taken";
      }),

    get: (id) => db.selectFrom("deviceCodes").selectAll().where("id", "=", id).executeTakeFirst(),

    findByUserCode: (userCode) =>
      db.selectFrom("deviceCodes").selectAll().where("userCode", "=", userCode).executeTakeFirst(),

    answer: (id, by, now, event) =>
      inTransaction(db, async (trx) => {
        if (!(await isThere(trx, by.sessionId))) return false;
        const { numUpdatedRows } = await trx
          .updateTable("deviceCodes")
          .set(by)
          .where("id", "=", id)
          .where("answer", "is", null)
          .where("expiresAt", ">", now)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await enterEvents(trx, [event]);
        return true;
      }),

    async polled(id, at) {
      await db.updateTable("deviceCodes").set({ polledAt: at }).where("id", "=", id).execute();
    },

    redeem: (id, token) =>
      inTransaction(db, async (trx) => {
        // Only one of two concurrent calls deletes the row.
        const approved = await trx
          .deleteFrom("deviceCodes")
          .where("id", "=", id)
          .where("answer", "=", "approved")
          .where("memberId", "=", token.memberId)
          .returning("sessionId")
          .executeTakeFirst();
        if (approved === undefined) return undefined;
        const member = await trx
          .selectFrom("members")
          .selectAll()
          .where("id", "=", token.memberId)
          .forKeyShare()
          .executeTakeFirst();
        if (member !== undefined)
          await trx
            .insertInto("personalTokens")
            .values({ ...token, ...approved })
            .execute();
        return member;
      }),
  };
}

/** Makes room for one more code, by removing one of the network with the most codes. */
async function makeRoom(trx: Kysely<Schema>, maxWaiting: number): Promise<void> {
  const networks = await trx
    .selectFrom("deviceCodes")
    .select(({ fn }) => ["network", fn.countAll<number>().as("waiting")])
    .groupBy("network")
    .orderBy("waiting", "desc")
    .execute();
  const [busiest] = networks;
  if (busiest === undefined || networks.reduce((sum, { waiting }) => sum + waiting, 0) < maxWaiting) return;
  await trx
    .deleteFrom("deviceCodes")
    .where("id", "=", ({ selectFrom }) =>
      selectFrom("deviceCodes")
        .select("id")
        .where("network", "=", busiest.network)
        .orderBy(({ eb }) => eb.case().when("answer", "is", null).then(0).else(1).end())
        .orderBy("createdAt")
        .orderBy("id")
        .limit(1),
    )
    .execute();
}
