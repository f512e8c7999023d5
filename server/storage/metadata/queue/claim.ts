import type { Expression, ExpressionBuilder, Kysely, Selectable, SqlBool } from "kysely";
import type { JobId, WorkspaceId } from "../../../domain/ids.ts";
import type { ClaimedJob } from "../../../domain/ports/jobs.ts";
import { isFree, lasts, leaseEnd, maxLeaseMs, newToken } from "./claims.ts";
import { type Engine, keepPlan } from "../engine.ts";
import { jobColumns, suspectsOfJob, toJob } from "./job-rows.ts";
import { endOrganisationTurn, endTurn, noteTurn, organisationsInTurn, type Turn, workspacesInTurn } from "./turns.ts";
import type { Schema } from "../schema.ts";
import type { JobTable } from "../tables/jobs.ts";
import { lockOrganisation } from "../tenants/organisations.ts";

interface NewClaim {
  readonly owner: string;
  readonly leaseMs: number;
  /** The time of the claim as callers see it; leases use the store's clock. */
  readonly now: number;
}

/**
 * Claims the next job. Call it in a transaction. Organisations take turns: the one with the fewest running jobs comes
 * first, and among equals the one that was served longest ago. The workspaces of an organisation take turns in the same
 * way, and within a workspace the oldest job comes first. Therefore neither a thousand jobs of one workspace nor a
 * hundred workspaces of one organisation keep another one waiting.
 */
export async function claim(trx: Kysely<Schema>, engine: Engine, claiming: NewClaim): Promise<ClaimedJob | undefined> {
  for await (const turn of organisationsInTurn(trx, engine)) {
    const claimed = await claimOf(trx, turn, claiming);
    if (claimed !== undefined) return claimed;
  }
  return undefined;
}

/** Claims the next job of an organisation, if one may be claimed and the plan has room for it. */
async function claimOf(
  trx: Kysely<Schema>,
  turn: Turn,
  { owner, leaseMs, now }: NewClaim,
): Promise<ClaimedJob | undefined> {
  let isLeft = false;
  for await (const workspaceId of workspacesInTurn(trx, turn)) {
    const next = await lockNext(trx, workspaceId, turn.now);
    if (next === undefined) {
      if (!(await endTurn(trx, workspaceId))) isLeft = true;
      continue;
    }
    if (!(await hasRoom(trx, turn))) return undefined;
    const claimed = await take(trx, next, turn, { owner, now, leaseUntil: leaseEnd(turn.now, leaseMs) });
    if (claimed !== undefined) {
      await noteTurn(trx, turn, workspaceId);
      return claimed;
    }
    isLeft = true;
  }
  if (!isLeft) await endOrganisationTurn(trx, turn.organisationId);
  return undefined;
}

type NextJob = Pick<Selectable<JobTable>, "id" | "inFlight">;

/** Returns and locks the oldest job of the workspace that may be claimed and that no other transaction has locked. */
async function lockNext(trx: Kysely<Schema>, id: WorkspaceId, now: number): Promise<NextJob | undefined> {
  return trx
    .selectFrom("jobs")
    .select(["id", "inFlight"])
    .where("workspaceId", "=", id)
    .where(isClaimable(now))
    .orderBy("createdAt")
    .orderBy("id")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/**
 * Whether the plan of the organisation has room for one more running job. If the plan has a limit, concurrent claims
 * for the organisation wait for each other here, so that each one counts the jobs that the others have taken.
 */
async function hasRoom(trx: Kysely<Schema>, { organisationId, concurrentJobs, now }: Turn): Promise<boolean> {
  if (concurrentJobs === null) return true;
  await lockOrganisation(trx, organisationId);
  const { most, count } = await trx
    .selectFrom("organisations")
    .leftJoin("plans", "plans.name", "organisations.plan")
    .select("plans.concurrentJobs as most")
    .select((eb) =>
      eb
        .selectFrom("jobs")
        .innerJoin("workspaces", "workspaces.id", "jobs.workspaceId")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .whereRef("workspaces.organisationId", "=", "organisations.id")
        .where("finishedAt", "is", null)
        .where("leaseUntil", "is not", null)
        .where(lasts(now))
        .as("count"),
    )
    .where("organisations.id", "=", organisationId)
    .executeTakeFirstOrThrow();
  return most === null || (count ?? 0) < most;
}

/**
 * Allows one job at a time per dataset, in the order of creation: a vectorize job waits for the extract job on which it
 * builds. An older job that runs again waits for a running one.
 */
const isClaimable =
  (now: number) =>
  (eb: ExpressionBuilder<Schema, "jobs">): Expression<SqlBool> =>
    eb.and([
      eb("jobs.finishedAt", "is", null),
      isFree(now)(eb),
      eb.not(
        eb.exists(
          eb
            .selectFrom("jobs as other")
            .select("other.id")
            .whereRef("other.datasetId", "=", "jobs.datasetId")
            .whereRef("other.id", "!=", "jobs.id")
            .where("other.finishedAt", "is", null)
            .where(({ eb: of, and, or, ref }) =>
              or([
                of("other.createdAt", "<", ref("jobs.createdAt")),
                and([of("other.createdAt", "=", ref("jobs.createdAt")), of("other.id", "<", ref("jobs.id"))]),
                and([
                  of("other.leaseOwner", "is not", null),
                  of("other.leaseUntil", ">", now),
                  of("other.leaseUntil", "<=", now + maxLeaseMs),
                ]),
              ]),
            ),
        ),
      ),
    ]);

/** Claims a locked job. Returns undefined if an older job of its dataset was queued again before the lock was taken. */
async function take(
  trx: Kysely<Schema>,
  next: NextJob,
  { organisationId, now: storeNow }: Turn,
  { owner, now, leaseUntil }: { owner: string; now: number; leaseUntil: number },
): Promise<ClaimedJob | undefined> {
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
    .where(isClaimable(storeNow))
    .returning(jobColumns)
    .returning(["tries", "retriesFailures"])
    // Most jobs have no suspects, so that a query for them is unnecessary.
    .returning((eb) => eb.exists(suspectsOfJob(eb)).as("hasSuspects"))
    .modifyEnd(keepPlan)
    .executeTakeFirst();
  if (job === undefined) return undefined;
  return {
    job: toJob(job),
    organisationId,
    lease: { jobId: next.id, token },
    suspects: job.hasSuspects ? await suspectsOf(trx, next.id) : [],
    tries: job.tries,
    retriesFailures: job.retriesFailures === 1,
  };
}

async function suspectsOf(trx: Kysely<Schema>, id: JobId): Promise<readonly number[]> {
  const suspects = await trx
    .selectFrom("suspectPages")
    .select("page")
    .where("jobId", "=", id)
    .orderBy("page")
    .execute();
  return suspects.map(({ page }) => page);
}

/** Marks as suspects the pages that were in flight when the lease expired or its process died. */
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
