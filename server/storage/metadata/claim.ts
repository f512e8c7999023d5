import type { Kysely, Selectable, SelectQueryBuilder } from "kysely";
import type { OrganisationId, WorkspaceId } from "../../domain/ids.ts";
import type { ClaimedJob } from "../../domain/ports/metadata.ts";
import { isFree, lasts, leaseEnd, newToken } from "./claims.ts";
import type { Engine } from "./engine.ts";
import { toJob } from "./job-rows.ts";
import type { JobTable, Schema } from "./schema.ts";

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
  for (const workspaceId of await workspacesInTurn(trx, storeNow)) {
    const next = await engine.lockForClaim(claimable(trx, workspaceId, storeNow)).executeTakeFirst();
    if (next === undefined) continue;
    await trx.updateTable("workspaces").set({ servedAt: storeNow }).where("id", "=", workspaceId).execute();
    return take(trx, next, { owner, now, leaseUntil: leaseEnd(storeNow, leaseMs) });
  }
  return undefined;
}

/** Workspaces that have unfinished jobs and room for one more in their plan, whose turn it is first. */
async function workspacesInTurn(trx: Kysely<Schema>, now: number): Promise<readonly WorkspaceId[]> {
  const waiting = await trx
    .selectFrom("jobs")
    .innerJoin("workspaces", "workspaces.id", "jobs.workspaceId")
    .innerJoin("organisations", "organisations.id", "workspaces.organisationId")
    .leftJoin("plans", "plans.name", "organisations.plan")
    .select(({ fn, eb }) => [
      "jobs.workspaceId",
      "workspaces.organisationId",
      "plans.concurrentJobs",
      fn.sum<number | string>(eb.case().when(lasts(now)(eb)).then(1).else(0).end()).as("atWork"),
    ])
    .where("finishedAt", "is", null)
    .groupBy(["jobs.workspaceId", "workspaces.organisationId", "workspaces.servedAt", "plans.concurrentJobs"])
    .orderBy("atWork")
    .orderBy("workspaces.servedAt", (order) => order.asc().nullsFirst())
    .orderBy(({ fn }) => fn.min("jobs.createdAt"))
    .execute();
  const atWork = new Map<OrganisationId, number>();
  for (const { organisationId, atWork: more } of waiting) {
    atWork.set(organisationId, (atWork.get(organisationId) ?? 0) + Number(more));
  }
  return waiting
    .filter(({ organisationId, concurrentJobs }) => (atWork.get(organisationId) ?? 0) < (concurrentJobs ?? Infinity))
    .map(({ workspaceId }) => workspaceId);
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
      // One job at a time per dataset, in the order they came: a vectorize waits for the extract that it builds on.
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("jobs as earlier")
              .select("earlier.id")
              .whereRef("earlier.datasetId", "=", "jobs.datasetId")
              .where("earlier.finishedAt", "is", null)
              .where(({ eb, and, or, ref }) =>
                or([
                  eb("earlier.createdAt", "<", ref("jobs.createdAt")),
                  and([eb("earlier.createdAt", "=", ref("jobs.createdAt")), eb("earlier.id", "<", ref("jobs.id"))]),
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

/** The pages that were in flight when the claim ended without a word are suspects from now on. */
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
