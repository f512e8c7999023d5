import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../../domain/ids.ts";
import type { ClaimedJob } from "../../../domain/ports/jobs.ts";
import { isFree, lasts, leaseEnd, maxLeaseMs, newToken } from "./claims.ts";
import type { Engine } from "../engine.ts";
import { toJob } from "./job-rows.ts";
import { endTurn, inTurn, noteTurn } from "./turns.ts";
import type { Schema } from "../schema.ts";
import type { JobTable } from "../tables/jobs.ts";
import { lockOrganisation } from "../tenants/organisations.ts";

interface NewClaim {
  readonly owner: string;
  readonly leaseMs: number;
  /** What callers see as the time of the claim; leases go by the store's clock. */
  readonly now: number;
}

/**
 * Takes the next job; call it in a transaction. Workspaces take turns: first the one with the fewest jobs at work, of
 * those the one that was served longest ago, and of its jobs the oldest. So a workspace with a thousand jobs in the
 * queue does not keep another one waiting.
 */
export async function claim(
  trx: Kysely<Schema>,
  engine: Engine,
  { owner, leaseMs, now }: NewClaim,
): Promise<ClaimedJob | undefined> {
  const storeNow = await engine.now(trx);
  for await (const workspaceId of workspacesInTurn(trx, storeNow)) {
    const next = await claimable(trx, workspaceId, storeNow).forUpdate().skipLocked().executeTakeFirst();
    if (next === undefined) {
      await endTurn(trx, workspaceId);
      continue;
    }
    if (!(await hasRoom(trx, workspaceId, storeNow))) continue;
    // Until it was locked, an older job of its dataset could be put back into the queue.
    const same = claimable(trx, workspaceId, storeNow).where("jobs.id", "=", next.id);
    if ((await same.executeTakeFirst()) === undefined) continue;
    await noteTurn(trx, workspaceId, storeNow);
    return take(trx, next, { owner, now, leaseUntil: leaseEnd(storeNow, leaseMs) });
  }
  return undefined;
}

/** Nearly always the first one has a job to claim. */
const maxAskedFirst = 20;

/**
 * Workspaces that have unfinished jobs and room for one more in their plan, whose turn it is first; later ones come again.
 * It reads a row of the queue for each, and those at work: not the queue itself.
 */
async function* workspacesInTurn(trx: Kysely<Schema>, now: number): AsyncGenerator<WorkspaceId> {
  const { inWorkspace, full } = await jobsAtWork(trx, now);
  const waiting = inTurn(trx, full);
  const busy = [...inWorkspace.keys()];
  const idle = waiting.$if(busy.length > 0, (query) => query.where("workspaces.id", "not in", busy));
  for (const { id } of await idle.limit(maxAskedFirst).execute()) yield id;
  const atWork = (id: WorkspaceId): number => inWorkspace.get(id) ?? 0;
  const all = await waiting.execute();
  for (const { id } of all.toSorted((one, other) => atWork(one.id) - atWork(other.id))) yield id;
}

/** Jobs at work by workspace, and the organisations whose plans have no room for more. */
async function jobsAtWork(
  trx: Kysely<Schema>,
  now: number,
): Promise<{ inWorkspace: ReadonlyMap<WorkspaceId, number>; full: readonly OrganisationId[] }> {
  const rows = await trx
    .selectFrom("jobs")
    .innerJoin("workspaces", "workspaces.id", "jobs.workspaceId")
    .innerJoin("organisations", "organisations.id", "workspaces.organisationId")
    .leftJoin("plans", "plans.name", "organisations.plan")
    .select(({ fn }) => [
      "jobs.workspaceId",
      "workspaces.organisationId",
      "plans.concurrentJobs",
      fn.countAll<number | string>().as("count"),
    ])
    .where("finishedAt", "is", null)
    // The same condition as that of the partial index of jobs at work, so that SQLite uses it.
    .where("leaseUntil", "is not", null)
    .where(lasts(now))
    .groupBy(["jobs.workspaceId", "workspaces.organisationId", "plans.concurrentJobs"])
    .execute();
  const inOrganisation = new Map<OrganisationId, number>();
  for (const { organisationId, count } of rows) {
    inOrganisation.set(organisationId, (inOrganisation.get(organisationId) ?? 0) + Number(count));
  }
  const full = rows.filter(
    ({ organisationId, concurrentJobs }) =>
      (inOrganisation.get(organisationId) ?? 0) >= (concurrentJobs ?? Number.POSITIVE_INFINITY),
  );
  // Those whose plan has no job at work at all.
  const barred = await trx
    .selectFrom("plans")
    .innerJoin("organisations", "organisations.plan", "plans.name")
    .select("organisations.id as organisationId")
    .where("concurrentJobs", "<=", 0)
    .execute();
  return {
    inWorkspace: new Map(rows.map(({ workspaceId, count }) => [workspaceId, Number(count)])),
    full: [...full, ...barred].map(({ organisationId }) => organisationId),
  };
}

/**
 * Whether the plan of the workspace's organisation has room for one more job at work. Where it is bounded, claims for the
 * organisation wait for each other here, so that each counts what the others have taken.
 */
async function hasRoom(trx: Kysely<Schema>, workspaceId: WorkspaceId, now: number): Promise<boolean> {
  const { organisationId, concurrentJobs } = await trx
    .selectFrom("workspaces")
    .innerJoin("organisations", "organisations.id", "workspaces.organisationId")
    .leftJoin("plans", "plans.name", "organisations.plan")
    .select(["workspaces.organisationId", "plans.concurrentJobs"])
    .where("workspaces.id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  if (concurrentJobs === null) return true;
  await lockOrganisation(trx, organisationId);
  const { full } = await jobsAtWork(trx, now);
  return !full.includes(organisationId);
}

function claimable(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  now: number,
): SelectQueryBuilder<Schema, "jobs", Pick<Selectable<JobTable>, "id" | "inFlight">> {
  return (
    trx
      .selectFrom("jobs")
      .select(["id", "inFlight"])
      .where("workspaceId", "=", workspaceId)
      .where("finishedAt", "is", null)
      .where(isFree(now))
      // One job at a time per dataset, in the order they came: a vectorize waits for the extract that it builds on. An
      // older one that runs again waits for the one at work.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("jobs as other")
              .select("other.id")
              .whereRef("other.datasetId", "=", "jobs.datasetId")
              .whereRef("other.id", "!=", "jobs.id")
              .where("other.finishedAt", "is", null)
              .where(({ eb, and, or, ref }) =>
                or([
                  eb("other.createdAt", "<", ref("jobs.createdAt")),
                  and([eb("other.createdAt", "=", ref("jobs.createdAt")), eb("other.id", "<", ref("jobs.id"))]),
                  and([
                    eb("other.leaseOwner", "is not", null),
                    eb("other.leaseUntil", ">", now),
                    eb("other.leaseUntil", "<=", now + maxLeaseMs),
                  ]),
                ]),
              ),
          ),
        ),
      )
      .orderBy("createdAt")
      .orderBy("id")
      .limit(1)
  );
}

async function take(
  trx: Kysely<Schema>,
  next: Pick<Selectable<JobTable>, "id" | "inFlight">,
  { owner, now, leaseUntil }: { owner: string; now: number; leaseUntil: number },
): Promise<ClaimedJob> {
  await suspectPages(trx, next);
  const token = newToken();
  const job = await trx
    .updateTable("jobs")
    .set(({ eb, fn, ref, val }) => ({
      status: "IN_PROGRESS",
      startedAt: fn.coalesce(ref("startedAt"), val(now)),
      updatedAt: now,
      statusText: null,
      leaseOwner: owner,
      claimToken: token,
      leaseUntil,
      inFlight: "",
      retryAt: null,
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", next.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const suspects = await trx
    .selectFrom("suspectPages")
    .select("page")
    .where("jobId", "=", next.id)
    .orderBy("page")
    .execute();
  return {
    job: toJob(job),
    lease: { jobId: next.id, token },
    suspects: suspects.map(({ page }) => page),
    tries: job.tries,
    retriesFailures: job.retriesFailures === 1,
  };
}

/** The pages that were in flight when the lease ran out or its process died are suspects from now on. */
export async function suspectPages(
  trx: Kysely<Schema>,
  job: Pick<Selectable<JobTable>, "id" | "inFlight">,
): Promise<void> {
  if (job.inFlight === "") return;
  const pages = new Set(job.inFlight.split(",").map(Number));
  await trx
    .insertInto("suspectPages")
    .values([...pages].map((page) => ({ jobId: job.id, page })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
