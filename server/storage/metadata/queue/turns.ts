import { type Kysely, sql } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import { lasts } from "./claims.ts";
import type { Engine } from "../engine.ts";
import { keepPlan } from "../keep-plan.ts";
import type { Schema } from "../schema.ts";

/** A workspace with unfinished jobs, and how it looked when the store's clock said `now`. */
export interface Turn {
  readonly id: WorkspaceId;
  readonly organisationId: OrganisationId;
  /** Most jobs at work that the plan of its organisation allows; null: no bound. */
  readonly concurrentJobs: number | null;
  readonly now: number;
}

/** Nearly always the first one has a job to claim. */
const maxAskedFirst = 20;

/**
 * Workspaces that have unfinished jobs and room for one more in their plan, whose turn it is first; later ones come again.
 * Of two with as many jobs at work it is first the one that was served longest ago, of those that never were the first come.
 * It reads a row of the queue for each, and those at work: not the queue itself.
 */
export async function* workspacesInTurn(trx: Kysely<Schema>, engine: Engine): AsyncGenerator<Turn> {
  const idle = waiting(trx, engine).where("workspaces.id", "not in", ({ selectFrom }) =>
    selectFrom("atWork").select("atWork.workspaceId"),
  );
  yield* await idle
    .orderBy("turns.servedAt")
    .orderBy("turns.since")
    .orderBy("turns.workspaceId")
    .limit(sql.lit(maxAskedFirst))
    .modifyEnd(keepPlan)
    .execute();
  const all = waiting(trx, engine)
    .leftJoin("atWork", "atWork.workspaceId", "workspaces.id")
    .orderBy(({ fn, ref, lit }) => fn.coalesce(ref("atWork.count"), lit(0)))
    .orderBy("turns.servedAt")
    .orderBy("turns.since")
    .orderBy("turns.workspaceId");
  yield* await all.modifyEnd(keepPlan).execute();
}

/**
 * Those in the line whose organisations have room. `atWork` counts the jobs at work by workspace. Numbers are written into the
 * statement: PostgreSQL keeps the plan of one without parameters from the first time on.
 */
function waiting(trx: Kysely<Schema>, engine: Engine) {
  const now = engine.clock();
  return (
    trx
      .with("atWork", (db) =>
        db
          .selectFrom("jobs")
          .innerJoin("workspaces", "workspaces.id", "jobs.workspaceId")
          .select(({ fn }) => ["jobs.workspaceId", "workspaces.organisationId", fn.countAll<number>().as("count")])
          .where("finishedAt", "is", null)
          // The same condition as that of the partial index of jobs at work, so that SQLite uses it.
          .where("leaseUntil", "is not", null)
          .where(lasts(now))
          .groupBy(["jobs.workspaceId", "workspaces.organisationId"]),
      )
      .with("full", (db) =>
        db
          .selectFrom("atWork")
          .innerJoin("organisations", "organisations.id", "atWork.organisationId")
          .innerJoin("plans", "plans.name", "organisations.plan")
          .select("organisations.id")
          .groupBy(["organisations.id", "plans.concurrentJobs"])
          .having(({ eb, fn, ref }) => eb(fn.sum("atWork.count"), ">=", ref("plans.concurrentJobs"))),
      )
      .selectFrom("turns")
      .innerJoin("workspaces", "workspaces.id", "turns.workspaceId")
      .innerJoin("organisations", "organisations.id", "workspaces.organisationId")
      .leftJoin("plans", "plans.name", "organisations.plan")
      .select(["workspaces.id", "workspaces.organisationId", "plans.concurrentJobs", now.as("now")])
      .where("organisations.id", "not in", ({ selectFrom }) => selectFrom("full").select("full.id"))
      // There are plans under which no job is at work at all.
      .where(({ eb, or, lit }) => or([eb("plans.concurrentJobs", "is", null), eb("plans.concurrentJobs", ">", lit(0))]))
  );
}

/** Claims that are at it together do not wait for each other: the time that one of them notes will do for all. */
export async function noteTurn(trx: Kysely<Schema>, id: WorkspaceId, servedAt: number): Promise<void> {
  const free = trx
    .selectFrom("turns")
    .select("workspaceId")
    .where("workspaceId", "=", id)
    .forNoKeyUpdate()
    .skipLocked();
  await trx.updateTable("turns").set({ servedAt }).where("workspaceId", "in", free).modifyEnd(keepPlan).execute();
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
