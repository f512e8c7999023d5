import type { Kysely } from "kysely";
import type { LeaderLeaseStore } from "../../../domain/ports/metadata.ts";
import type { Engine } from "../engine.ts";
import { leaseEnd, maxLeaseMs } from "../queue/claims.ts";
import type { Schema } from "../schema.ts";

export function leaderLeaseStore(db: Kysely<Schema>, engine: Engine): LeaderLeaseStore {
  return {
    async hold(name, holder, holdMs) {
      const now = await engine.now(db);
      const heldUntil = leaseEnd(now, holdMs);
      // In one statement: if two processes take a free lease, the second one sees what the first has written.
      return db
        .insertInto("duties")
        .values({ name, holder, heldUntil, requests: 0 })
        .onConflict((conflict) =>
          conflict
            .column("name")
            .doUpdateSet({ holder, heldUntil })
            .where(({ eb, or }) =>
              or([
                eb("duties.holder", "is", null),
                eb("duties.holder", "=", holder),
                eb("duties.heldUntil", "<=", now),
                // The lease was given before the clock was set back.
                eb("duties.heldUntil", ">", now + maxLeaseMs),
              ]),
            ),
        )
        .returning("requests")
        .executeTakeFirst();
    },

    async request(name) {
      await db
        .insertInto("duties")
        .values({ name, holder: null, heldUntil: 0, requests: 1 })
        .onConflict((conflict) =>
          conflict.column("name").doUpdateSet(({ eb }) => ({ requests: eb("duties.requests", "+", 1) })),
        )
        .execute();
    },

    async release(holder) {
      await db.updateTable("duties").set({ holder: null }).where("holder", "=", holder).execute();
    },
  };
}
