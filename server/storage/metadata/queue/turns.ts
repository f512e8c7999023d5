import { type Kysely, type QueryCreator, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import { lasts } from "./claims.ts";
import { type Engine, keepPlan } from "../engine.ts";
import type { Schema } from "../schema.ts";

/** An organisation that is in the line, and how it looked when the store's clock said `now`. */
export interface Turn {
  readonly organisationId: OrganisationId;
  /** Most jobs at work that its plan allows; null: no bound. */
  readonly concurrentJobs: number | null;
  readonly now: number;
}

/** Nearly always the first one has a job to claim. */
const maxAskedFirst = 20;

/**
 * Organisations that have workspaces in the line and room for one more job in their plan, whose turn it is first. Of two with as
 * many jobs at work it is first the one that was served longest ago, of those that never were the first come. It reads a row of
 * the line for each, and the jobs at work: neither the queue nor the workspaces that wait.
 */
export async function* organisationsInTurn(trx: Kysely<Schema>, engine: Engine): AsyncGenerator<Turn> {
  const now = engine.clock();
  // Numbers are written into the statement: PostgreSQL keeps the plan of one without parameters from the first time on.
  const waiting = trx
    .with("atWork", (db) =>
      atWork(db, now)
        // SQLite goes through the jobs first, not through all workspaces.
        .crossJoin("workspaces")
        .whereRef("workspaces.id", "=", "jobs.workspaceId")
        .select(({ fn }) => ["workspaces.organisationId as id", fn.countAll<number>().as("count")])
        .groupBy("workspaces.organisationId"),
    )
    .selectFrom("organisationTurns as line")
    .innerJoin("organisations", "organisations.id", "line.organisationId")
    .leftJoin("plans", "plans.name", "organisations.plan")
    .select(["line.organisationId", "plans.concurrentJobs", now.as("now")])
    // The same condition as that of the partial index of the line.
    .where("line.since", "is not", null);
  const idle = waiting
    .where("line.organisationId", "not in", ({ selectFrom }) => selectFrom("atWork").select("atWork.id"))
    // There are plans under which no job is at work at all.
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

/** The workspaces of the organisation that are in the line, in the same order within it. */
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

/** The jobs at work, which are as many as workers work on at a time. */
function atWork(db: QueryCreator<Schema>, now: number | RawBuilder<number>) {
  return (
    db
      .selectFrom("jobs")
      .where("finishedAt", "is", null)
      // The same condition as that of the partial index of jobs at work, so that SQLite uses it.
      .where("leaseUntil", "is not", null)
      .where(lasts(now))
  );
}

interface Query<Row> {
  execute(): Promise<readonly Row[]>;
}

/** The rows of a query and, where more are asked for, those of another one that were not among them. */
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

/** Claims that are at it together do not wait for each other: the time that one of them notes will do for all. */
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
 * Takes a workspace out of the line in which nothing was found to claim. False, and it stays, if there is something to wait
 * for, or if another transaction may be entering it.
 */
export async function endTurn(trx: Kysely<Schema>, id: WorkspaceId): Promise<boolean> {
  const unfinished = trx.selectFrom("jobs").select("id").where("workspaceId", "=", id).where("finishedAt", "is", null);
  if (await hasRows(unfinished)) return false;
  // Whoever enters a job holds this row until it is there to be seen: by its reference, or by `lockTurn`.
  const row = trx.selectFrom("workspaces").select("id").where("id", "=", id);
  const locked = await row.forUpdate().skipLocked().executeTakeFirst();
  if (locked === undefined || (await hasRows(unfinished))) return false;
  const ended = await trx.deleteFrom("turns").where("workspaceId", "=", id).returning("servedAt").executeTakeFirst();
  if (ended !== undefined) {
    await trx.updateTable("workspaces").set({ servedAt: ended.servedAt }).where("id", "=", id).execute();
  }
  return true;
}

/** Takes an organisation out of the line, if none of its workspaces is in it. */
export async function endOrganisationTurn(trx: Kysely<Schema>, id: OrganisationId): Promise<void> {
  const waiting = trx.selectFrom("turns").select("workspaceId").where("organisationId", "=", id);
  if (await hasRows(waiting)) return;
  // A workspace that enters the line holds this row by its reference until it is there to be seen.
  const row = trx.selectFrom("organisationTurns").select("organisationId").where("organisationId", "=", id);
  const locked = await row.forUpdate().skipLocked().executeTakeFirst();
  if (locked === undefined || (await hasRows(waiting))) return;
  await trx.updateTable("organisationTurns").set({ since: null }).where("organisationId", "=", id).execute();
}

/** Call it before a finished job is made an unfinished one. */
export async function lockTurn(trx: Kysely<Schema>, id: WorkspaceId): Promise<void> {
  await trx.selectFrom("workspaces").select("id").where("id", "=", id).forKeyShare().execute();
}

async function hasRows<Row>(query: SelectQueryBuilder<Schema, keyof Schema, Row>): Promise<boolean> {
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}
