import { type Kysely, type QueryCreator, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import { lasts } from "./claims.ts";
import { type Engine, keepPlan } from "../engine.ts";
import type { Schema } from "../schema.ts";

/** An organisation in the line, at the store's time `now`. */
export interface Turn {
  readonly organisationId: OrganisationId;
  /** Maximum number of running jobs under its plan; null for no limit. */
  readonly concurrentJobs: number | null;
  readonly now: number;
}

/** Number of rows in the first query; nearly always its first row has a job to claim. */
const maxAskedFirst = 20;

/**
 * Yields the organisations that have workspaces in the line and a plan with room for one more job, in the order of
 * their turns. The one with the fewest running jobs comes first, and among equals the one that was served longest ago;
 * of those never served, the one that has waited longest. The query reads one row of the line per organisation and the
 * running jobs, but neither the queue nor the waiting workspaces.
 */
export async function* organisationsInTurn(trx: Kysely<Schema>, engine: Engine): AsyncGenerator<Turn> {
  const now = engine.clock();
  // Numbers are written literally into the statement: PostgreSQL reuses the plan of a statement without parameters from
  // its first run on.
  const waiting = trx
    .with("atWork", (db) =>
      atWork(db, now)
        // The cross join makes SQLite scan the jobs first, rather than all workspaces.
        .crossJoin("workspaces")
        .whereRef("workspaces.id", "=", "jobs.workspaceId")
        .select(({ fn }) => ["workspaces.organisationId as id", fn.countAll<number>().as("count")])
        .groupBy("workspaces.organisationId"),
    )
    .selectFrom("organisationTurns as line")
    .innerJoin("organisations", "organisations.id", "line.organisationId")
    .leftJoin("plans", "plans.name", "organisations.plan")
    .select(["line.organisationId", "plans.concurrentJobs", now.as("now")])
    // This matches the condition of the partial index of the line.
    .where("line.since", "is not", null);
  const idle = waiting
    .where("line.organisationId", "not in", ({ selectFrom }) => selectFrom("atWork").select("atWork.id"))
    // A plan may allow no jobs at all.
    .where(({ eb, or, lit }) => or([eb("plans.concurrentJobs", "is", null), eb("plans.concurrentJobs", ">", lit(0))]))
    .orderBy("line.servedAt")
    .orderBy("line.since")
    .orderBy("line.organisationId")
    .limit(sql.lit(maxAskedFirst));
  const count = sql<number>`coalesce("atWork"."count", 0)`;
  const all = waiting
    .leftJoin("atWork", "atWork.id", "line.organisationId")
    .where(({ eb, or }) => or([eb("plans.concurrentJobs", "is", null), eb(count, "<", eb.ref("plans.concurrentJobs"))]))
    .orderBy(count)
    .orderBy("line.servedAt")
    .orderBy("line.since")
    .orderBy("line.organisationId");
  yield* firstThenOthers(idle.modifyEnd(keepPlan), all.modifyEnd(keepPlan), ({ organisationId }) => organisationId);
}

/** Yields the workspaces of the organisation that are in the line, in the same order as organisations. */
export async function* workspacesInTurn(
  trx: Kysely<Schema>,
  { organisationId, now }: Turn,
): AsyncGenerator<WorkspaceId> {
  const waiting = trx
    .with("atWork", (db) =>
      atWork(db, now)
        .select(({ fn }) => ["jobs.workspaceId as id", fn.countAll<number>().as("count")])
        .groupBy("jobs.workspaceId"),
    )
    .selectFrom("turns as line")
    .select("line.workspaceId")
    .where("line.organisationId", "=", organisationId);
  const idle = waiting
    .where("line.workspaceId", "not in", ({ selectFrom }) => selectFrom("atWork").select("atWork.id"))
    .orderBy("line.servedAt")
    .orderBy("line.since")
    .orderBy("line.workspaceId")
    .limit(sql.lit(maxAskedFirst));
  const all = waiting
    .leftJoin("atWork", "atWork.id", "line.workspaceId")
    .orderBy(sql`coalesce("atWork"."count", 0)`)
    .orderBy("line.servedAt")
    .orderBy("line.since")
    .orderBy("line.workspaceId");
  const workspaces = firstThenOthers(
    idle.modifyEnd(keepPlan),
    all.modifyEnd(keepPlan),
    ({ workspaceId }) => workspaceId,
  );
  for await (const { workspaceId } of workspaces) yield workspaceId;
}

/** Selects the running jobs, which are only as many as the workers process at a time. */
function atWork(db: QueryCreator<Schema>, now: number | RawBuilder<number>) {
  return (
    db
      .selectFrom("jobs")
      .where("finishedAt", "is", null)
      // This matches the condition of the partial index of running jobs, so that SQLite uses the index.
      .where("leaseUntil", "is not", null)
      .where(lasts(now))
  );
}

interface Query<Row> {
  execute(): Promise<readonly Row[]>;
}

/** Yields the rows of the first query and, if the caller needs more, the other rows of the second query. */
async function* firstThenOthers<Row>(
  first: Query<Row>,
  all: Query<Row>,
  idOf: (row: Row) => string,
): AsyncGenerator<Row> {
  const rows = await first.execute();
  yield* rows;
  const asked = new Set(rows.map(idOf));
  for (const row of await all.execute()) if (!asked.has(idOf(row))) yield row;
}

/**
 * Records when the workspace and its organisation were served. Concurrent claims do not wait for each other here,
 * because the time that one of them records is good enough for all.
 */
export async function noteTurn(
  trx: Kysely<Schema>,
  { organisationId, now }: Turn,
  workspaceId: WorkspaceId,
): Promise<void> {
  const workspace = trx.selectFrom("turns").select("workspaceId").where("workspaceId", "=", workspaceId);
  await trx
    .updateTable("turns")
    .set({ servedAt: now })
    .where("workspaceId", "in", workspace.forNoKeyUpdate().skipLocked())
    .modifyEnd(keepPlan)
    .execute();
  const organisation = trx
    .selectFrom("organisationTurns")
    .select("organisationId")
    .where("organisationId", "=", organisationId);
  await trx
    .updateTable("organisationTurns")
    .set({ servedAt: now })
    .where("organisationId", "in", organisation.forNoKeyUpdate().skipLocked())
    .modifyEnd(keepPlan)
    .execute();
}

/**
 * Removes a workspace without a claimable job from the line. Returns false and leaves it there if it has unfinished
 * jobs, or if another transaction may be inserting one.
 */
export async function endTurn(trx: Kysely<Schema>, id: WorkspaceId): Promise<boolean> {
  const unfinished = trx.selectFrom("jobs").select("id").where("workspaceId", "=", id).where("finishedAt", "is", null);
  if (await hasRows(unfinished)) return false;
  // A transaction that inserts a job locks this row until it commits, either by its foreign key or by `lockTurn`.
  const row = trx.selectFrom("workspaces").select("id").where("id", "=", id);
  const locked = await row.forUpdate().skipLocked().executeTakeFirst();
  if (locked === undefined || (await hasRows(unfinished))) return false;
  const ended = await trx.deleteFrom("turns").where("workspaceId", "=", id).returning("servedAt").executeTakeFirst();
  if (ended !== undefined) {
    await trx.updateTable("workspaces").set({ servedAt: ended.servedAt }).where("id", "=", id).execute();
  }
  return true;
}

/** Removes an organisation from the line if none of its workspaces is in line. */
export async function endOrganisationTurn(trx: Kysely<Schema>, id: OrganisationId): Promise<void> {
  const waiting = trx.selectFrom("turns").select("workspaceId").where("organisationId", "=", id);
  if (await hasRows(waiting)) return;
  // A transaction that puts a workspace into the line locks this row by its foreign key until it commits.
  const row = trx.selectFrom("organisationTurns").select("organisationId").where("organisationId", "=", id);
  const locked = await row.forUpdate().skipLocked().executeTakeFirst();
  if (locked === undefined || (await hasRows(waiting))) return;
  await trx.updateTable("organisationTurns").set({ since: null }).where("organisationId", "=", id).execute();
}

/** Locks the turn of a workspace. Call it before a finished job is put back into the queue. */
export async function lockTurn(trx: Kysely<Schema>, id: WorkspaceId): Promise<void> {
  await trx.selectFrom("workspaces").select("id").where("id", "=", id).forKeyShare().execute();
}

async function hasRows<Row>(query: SelectQueryBuilder<Schema, keyof Schema, Row>): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}
