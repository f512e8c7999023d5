import type { Kysely } from "kysely";
import type { IndexStore } from "../../../domain/ports/packs.ts";
import type { Engine } from "../engine.ts";
import { expireIndices } from "../processes/expire.ts";
import { leaseEnd, maxPauseMs, unheld } from "../queue/claims.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { claimIndex } from "./claim-index.ts";
import { heldIndex } from "./index-rows.ts";

type LeaseMethods = Pick<IndexStore, "claim" | "renew" | "setInFlight" | "release" | "postpone" | "expireLeases">;

/** Treats the indices that are being made as a queue. */
export function leaseMethods(db: Kysely<Schema>, engine: Engine): LeaseMethods {
  return {
    claim: (owner, leaseMs, now) => inTransaction(db, (trx) => claimIndex(trx, engine, { owner, leaseMs, now })),

    async renew(lease, leaseMs) {
      const { numUpdatedRows } = await db
        .updateTable("indices")
        .set({ leaseUntil: leaseEnd(await engine.now(db), leaseMs) })
        .where(heldIndex(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async setInFlight(lease, pages) {
      const { numUpdatedRows } = await db
        .updateTable("indices")
        .set({ inFlight: pages.join(",") })
        .where(heldIndex(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async release(lease) {
      await db.updateTable("indices").set(unheld).where(heldIndex(lease)).execute();
    },

    async postpone(lease, afterMs) {
      const retryAt = (await engine.now(db)) + Math.min(afterMs, maxPauseMs);
      const row = await db
        .updateTable("indices")
        .set(({ eb }) => ({ ...unheld, retryAt, tries: eb("tries", "+", 1) }))
        .where(heldIndex(lease))
        .returning("tries")
        .executeTakeFirst();
      return row?.tries;
    },

    expireLeases: (owner) => expireIndices(db, owner),
  };
}
