import { type Kysely, sql } from "kysely";
import type { Filter } from "../../../domain/filters/filter.ts";
import type { JobId } from "../../../domain/ids.ts";
import { type Job, jobStatuses } from "../../../domain/jobs/job.ts";
import type { JobQuery } from "../../../domain/ports/jobs.ts";
import type { ListResult } from "../../../domain/list.ts";
import { rowsPerTransaction } from "../batches.ts";
import { toJob } from "./job-rows.ts";
import { passes } from "../documents/metadata-filter.ts";
import type { Schema } from "../schema.ts";
import { inOrder, type Range, sliceOf } from "../slices.ts";
import { countByName } from "../tenants/tallies.ts";
import { againIfUndone } from "../transaction.ts";

/** A literal condition, because with a parameter the database could not use the partial index of listed jobs. */
const isListed = sql<boolean>`"isListed" = 1`;

/** Implements `JobStore.list`. An index has the listed jobs of each status in order; the query merges the statuses. */
export async function listJobs(db: Kysely<Schema>, query: JobQuery): Promise<ListResult<Job>> {
  const { workspaceId, statuses, offset, limit, finishedSince, filter } = query;
  if (filter !== undefined) return listFound(db, { ...query, filter });
  const known = await countByName(db, workspaceId, "jobs");
  // Statuses without jobs are included, because a job may get such a status before the list is read.
  const wanted = jobStatuses.filter((status) => statuses.length === 0 || statuses.includes(status));
  // Count the old jobs that the worker has not taken off the list yet.
  const { old } = await db
    .selectFrom("jobs")
    .select(({ fn }) => fn.countAll<number | string>().as("old"))
    .where("workspaceId", "=", workspaceId)
    .where("status", "in", wanted)
    .where(isListed)
    .where("finishedAt", "is not", null)
    .where("finishedAt", "<", finishedSince)
    .executeTakeFirstOrThrow();
  const total = wanted.reduce((sum, status) => sum + (known.get(status) ?? 0), -Number(old));
  const ranges = wanted.map((status): Range<"jobs", JobId> =>
    db
      .selectFrom("jobs")
      .select(["id", "createdAt"])
      .where("workspaceId", "=", workspaceId)
      .where("status", "=", status)
      .where(isListed)
      .where(({ eb, or }) => or([eb("finishedAt", "is", null), eb("finishedAt", ">=", finishedSince)])),
  );
  const newest = ["createdAt", "id"].map((column) => ({ column, descending: true }));
  const ids = await sliceOf(db, ranges, newest, { total, offset, limit });
  if (ids.length === 0) return { total, data: [] };
  const rows = await db.selectFrom("jobs").selectAll().where("id", "in", ids).execute();
  return { total: Math.max(total, offset + ids.length), data: inOrder(ids, rows, ({ id }) => id).map(toJob) };
}

/**
 * Lists jobs by a filter on their datasets. All listed jobs are read: those that are unfinished or have finished within
 * a day.
 */
async function listFound(
  db: Kysely<Schema>,
  { workspaceId, statuses, offset, limit, finishedSince, filter }: JobQuery & { readonly filter: Filter },
): Promise<ListResult<Job>> {
  const found = db
    .selectFrom("jobs")
    .where("jobs.workspaceId", "=", workspaceId)
    .where("status", "in", statuses.length === 0 ? jobStatuses : statuses)
    .where(isListed)
    .where(({ eb, or }) => or([eb("finishedAt", "is", null), eb("finishedAt", ">=", finishedSince)]))
    .where("jobs.datasetId", "in", (eb) =>
      eb.selectFrom("datasets").select("datasets.id").where(passes(workspaceId, filter)),
    );
  const { total } = await found
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await found
    .selectAll("jobs")
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .offset(offset)
    .limit(limit)
    .execute();
  return { total: Number(total), data: rows.map(toJob) };
}

/** Takes some jobs that finished before the given time off the list, and returns how many. */
export async function unlistJobs(db: Kysely<Schema>, finishedBefore: number): Promise<number> {
  const some = db
    .selectFrom("jobs")
    .select("id")
    .where(isListed)
    .where("finishedAt", "is not", null)
    .where("finishedAt", "<", finishedBefore)
    .orderBy("finishedAt");
  // Read outside a transaction, because otherwise each check by a worker would block other writers.
  if ((await some.limit(1).executeTakeFirst()) === undefined) return 0;
  const unlisting = db
    .updateTable("jobs")
    .set({ isListed: 0 })
    .where("id", "in", some.limit(rowsPerTransaction))
    .where("finishedAt", "<", finishedBefore);
  const { numUpdatedRows } = await againIfUndone(() => unlisting.executeTakeFirstOrThrow());
  return Number(numUpdatedRows);
}
