import type { Kysely, Selectable } from "kysely";
import type { ClaimedJob } from "../../domain/ports/metadata.ts";
import type { Engine } from "./engine.ts";
import { toJob } from "./job-rows.ts";
import type { JobTable, Schema } from "./schema.ts";

/** Takes the next job in line; call it in a transaction. */
export async function claim(
  trx: Kysely<Schema>,
  engine: Engine,
  owner: string,
  now: number,
  leaseUntil: number,
): Promise<ClaimedJob | undefined> {
  const free = trx
    .selectFrom("jobs")
    .select(["id", "inFlight"])
    .where("finishedAt", "is", null)
    .where(({ eb, or }) => or([eb("leaseOwner", "is", null), eb("leaseUntil", "<=", now)]))
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
    .limit(1);
  const next = await engine.lockForClaim(free).executeTakeFirst();
  if (next === undefined) return undefined;
  await countCrashes(trx, next);
  const job = await trx
    .updateTable("jobs")
    .set(({ eb, fn, ref, val }) => ({
      status: "IN_PROGRESS",
      startedAt: fn.coalesce(ref("startedAt"), val(now)),
      updatedAt: now,
      leaseOwner: owner,
      leaseUntil,
      inFlight: "",
      revision: eb("revision", "+", 1),
    }))
    .where("id", "=", next.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const crashes = await trx
    .selectFrom("pageCrashes")
    .select(["page", "crashes"])
    .where("jobId", "=", next.id)
    .orderBy("page")
    .execute();
  return { job: toJob(job), lease: { jobId: next.id, owner }, crashes };
}

/** Blames the pages that were in flight for the death of the worker that held the job. */
export async function countCrashes(
  trx: Kysely<Schema>,
  job: Pick<Selectable<JobTable>, "id" | "inFlight">,
): Promise<void> {
  if (job.inFlight === "") return;
  const pages = new Set(job.inFlight.split(",").map(Number));
  await trx
    .insertInto("pageCrashes")
    .values([...pages].map((page) => ({ jobId: job.id, page, crashes: 1 })))
    .onConflict((conflict) =>
      conflict.columns(["jobId", "page"]).doUpdateSet(({ eb }) => ({ crashes: eb("pageCrashes.crashes", "+", 1) })),
    )
    .execute();
}
