import { sql, type Kysely } from "kysely";
import type { AuditEvent } from "../../../domain/audit/event.ts";
import type { EventId } from "../../../domain/ids.ts";
import type { AuditQuery, AuditStore } from "../../../domain/ports/organisations.ts";
import type { ListResult } from "../../../domain/list.ts";
import type { Schema } from "../schema.ts";
import { inOrder, sliceOf } from "../slices.ts";
import { countByName } from "./tallies.ts";

export function auditStore(db: Kysely<Schema>): AuditStore {
  return {
    async list(query) {
      const { organisationId, offset, limit, action, actor, since, until } = query;
      if (actor !== undefined || since !== undefined || until !== undefined) return listNarrowed(db, query);
      const known = await countByName(db, organisationId, "events");
      const wanted = [...known].filter(([name]) => name.startsWith(action));
      const total = wanted.reduce((sum, [, events]) => sum + events, 0);
      const all = db.selectFrom("auditEvents").select(["id", "at"]).where("organisationId", "=", organisationId);
      // One index has all events in order; for some actions, the events of each action are merged.
      const ranges = action === "" ? [all] : wanted.map(([name]) => all.where(sql.ref("action"), "=", name));
      const newest = ["at", "id"].map((column) => ({ column, descending: true }));
      const ids = await sliceOf<"auditEvents", EventId>(db, ranges, newest, { total, offset, limit });
      if (ids.length === 0) return { total, data: [] };
      const rows = await db.selectFrom("auditEvents").selectAll().where("id", "in", ids).execute();
      return { total, data: inOrder(ids, rows, ({ id }) => id) };
    },
  };
}

/**
 * Lists events of an actor or a period. No tally has their number, so they are counted. Indices have the events of both
 * in the order of the list.
 */
async function listNarrowed(db: Kysely<Schema>, query: AuditQuery): Promise<ListResult<AuditEvent>> {
  const { organisationId, offset, limit, action, actor, since, until } = query;
  let found = db.selectFrom("auditEvents").where("organisationId", "=", organisationId);
  if (actor !== undefined) found = found.where("actor", "=", actor);
  if (since !== undefined) found = found.where("at", ">=", since);
  if (until !== undefined) found = found.where("at", "<", until);
  if (action !== "") {
    const known = await countByName(db, organisationId, "events");
    const wanted = [...known.keys()].filter((name) => name.startsWith(action));
    if (wanted.length === 0) return { total: 0, data: [] };
    found = found.where(sql.ref("action"), "in", wanted);
  }
  const { total } = await found
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  const data = await found
    .selectAll()
    .orderBy("at", "desc")
    .orderBy("id", "desc")
    .offset(offset)
    .limit(limit)
    .execute();
  return { total: Number(total), data };
}

/** Inserts events. Call it in the transaction that makes the changes that the events record. */
export async function enterEvents(trx: Kysely<Schema>, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return;
  await trx
    .insertInto("auditEvents")
    .values([...events])
    .execute();
}
