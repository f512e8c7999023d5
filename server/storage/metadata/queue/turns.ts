import type { Kysely } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { Schema } from "../schema.ts";

/** The workspaces with unfinished jobs, first the one that was served longest ago, of those that never were the first come. */
export function inTurn(trx: Kysely<Schema>, without: readonly OrganisationId[]) {
  return trx
    .selectFrom("turns")
    .innerJoin("workspaces", "workspaces.id", "turns.workspaceId")
    .select("workspaces.id")
    .$if(without.length > 0, (query) => query.where("organisationId", "not in", without))
    .orderBy("turns.servedAt")
    .orderBy("turns.since")
    .orderBy("turns.workspaceId");
}

/** Claims that are at it together do not wait for each other: the time that one of them notes will do for all. */
export async function noteTurn(trx: Kysely<Schema>, id: WorkspaceId, servedAt: number): Promise<void> {
  const free = trx
    .selectFrom("turns")
    .select("workspaceId")
    .where("workspaceId", "=", id)
    .forNoKeyUpdate()
    .skipLocked();
  await trx.updateTable("turns").set({ servedAt }).where("workspaceId", "in", free).execute();
}

/** Takes a workspace out of the line in which nothing was found to claim, if there is nothing to wait for either. */
export async function endTurn(trx: Kysely<Schema>, id: WorkspaceId): Promise<void> {
  if (await hasUnfinished(trx, id)) return;
  // Whoever enters a job holds this row until it is there to be seen: by its reference, or by `lockTurn`.
  const locked = await trx
    .selectFrom("workspaces")
    .select("id")
    .where("id", "=", id)
    .forUpdate()
    .skipLocked()
    .execute();
  if (locked.length === 0 || (await hasUnfinished(trx, id))) return;
  const ended = await trx.deleteFrom("turns").where("workspaceId", "=", id).returning("servedAt").executeTakeFirst();
  if (ended === undefined) return;
  await trx.updateTable("workspaces").set({ servedAt: ended.servedAt }).where("id", "=", id).execute();
}

/** Call it before a finished job is made an unfinished one. */
export async function lockTurn(trx: Kysely<Schema>, id: WorkspaceId): Promise<void> {
  await trx.selectFrom("workspaces").select("id").where("id", "=", id).forKeyShare().execute();
}

async function hasUnfinished(trx: Kysely<Schema>, id: WorkspaceId): Promise<boolean> {
  const job = await trx
    .selectFrom("jobs")
    .select("id")
    .where("workspaceId", "=", id)
    .where("finishedAt", "is", null)
    .limit(1)
    .executeTakeFirst();
  return job !== undefined;
}
