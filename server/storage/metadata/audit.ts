import { sql, type Kysely } from "kysely";
import type { AuditEvent } from "../../domain/audit/event.ts";
import type { AuditStore } from "../../domain/ports/audit.ts";
import type { Schema } from "./schema.ts";

export function auditStore(db: Kysely<Schema>): AuditStore {
  return {
    async list({ organisationId, offset, limit, action }) {
      const matching = db
        .selectFrom("auditEvents")
        .where("organisationId", "=", organisationId)
        // Not with "like", which has characters of its own.
        .$if(action !== "", (query) => query.where(sql`substr("action", 1, ${action.length})`, "=", action));
      const { total } = await matching
        .select(({ fn }) => fn.countAll<number | string>().as("total"))
        .executeTakeFirstOrThrow();
      const data = await matching
        .selectAll()
        .orderBy("at", "desc")
        .orderBy("id", "desc")
        .offset(offset)
        .limit(limit)
        .execute();
      return { total: Number(total), data };
    },
  };
}

/** Enters events; call it in the transaction of the acts that they tell of. */
export async function enterEvents(trx: Kysely<Schema>, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await trx
    .insertInto("auditEvents")
    .values([...events])
    .execute();
}
