import { sql, type Kysely } from "kysely";
import type { AuditEvent } from "../../../domain/audit/event.ts";
import type { EventId } from "../../../domain/ids.ts";
import type { AuditStore } from "../../../domain/ports/audit.ts";
import type { Schema } from "../schema.ts";
import { inOrder, sliceOf } from "../slices.ts";
import { countByName } from "./tallies.ts";

export function auditStore(db: Kysely<Schema>): AuditStore {
  return {
    async list({ organisationId, offset, limit, action }) {
      const known = await countByName(db, organisationId, "events");
      const wanted = [...known].filter(([name]) => name.startsWith(action));
      const total = wanted.reduce((sum, [, events]) => sum + events, 0);
      const all = db.selectFrom("auditEvents").select(["id", "at"]).where("organisationId", "=", organisationId);
      // One index has all events in order; those of some actions are merged.
      const ranges = action === "" ? [all] : wanted.map(([name]) => all.where(sql.ref("action"), "=", name));
      const newest = ["at", "id"].map((column) => ({ column, descending: true }));
      const ids = await sliceOf<"auditEvents", EventId>(db, ranges, newest, { total, offset, limit });
      if (ids.length === 0) return { total, data: [] };
      const rows = await db.selectFrom("auditEvents").selectAll().where("id", "in", ids).execute();
      return { total, data: inOrder(ids, rows, ({ id }) => id) };
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
