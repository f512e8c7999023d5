import type { Dataset, Drs, Job } from "@drs/client";
import { mapBounded } from "../../bounded.ts";
import { isDrsError } from "../../failures.ts";
import type { RetryPolicy } from "../../upload/sending/retry.ts";
import { datasetsOf, type Held, type SyncRecord } from "../state/record.ts";
import { storedName } from "./stored-name.ts";

/** What the service has of the documents of a folder. */
export interface Stock {
  isStored(datasetId: string): boolean;
  /** By the content and the name of their documents, the newest first. */
  find(sha256: string, fileName: string): readonly Held[];
}

export interface ServiceAccess {
  readonly drs: Drs;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
}

/** The service's limit for sums in one question. */
const sumsAtOnce = 100;
const questionsAtOnce = 4;

/** Looks for the datasets of the records and for those with the given contents. */
export async function takeStock(
  access: ServiceAccess,
  records: Iterable<SyncRecord>,
  sums: ReadonlySet<string>,
): Promise<Stock> {
  const { drs, signal } = access;
  const found = new Map<string, Dataset[]>();
  const stored = new Set<string>();
  const asked = [...sums];
  const batches = Array.from({ length: Math.ceil(asked.length / sumsAtOnce) }, (_, index) =>
    asked.slice(index * sumsAtOnce, (index + 1) * sumsAtOnce),
  );
  await mapBounded(batches, questionsAtOnce, async (sha256) => {
    const listed = await access.retryPolicy.retry(() => Array.fromAsync(drs.datasets.list({ sha256 }, { signal })));
    for (const dataset of listed) {
      if (isExpired(dataset)) continue;
      stored.add(dataset.id);
      const others = found.get(dataset.sha256);
      if (others === undefined) found.set(dataset.sha256, [dataset]);
      else others.push(dataset);
    }
  });
  // Lists are read in pages, between which entries move: what is missing is asked for by its id.
  const doubtful = [...records]
    .flatMap(datasetsOf)
    .filter(({ datasetId, sha256 }) => sums.has(sha256) && !stored.has(datasetId));
  const missing = new Set<string>();
  await mapBounded(doubtful, questionsAtOnce, async ({ datasetId }) => {
    const dataset = await unlessMissing(access.retryPolicy.retry(() => drs.datasets.get(datasetId, { signal })));
    if (dataset === undefined || isExpired(dataset)) missing.add(datasetId);
  });
  const named = new Set([...records].flatMap(datasetsOf).map(({ datasetId }) => datasetId));
  const strange = [...found.values()].flat().filter(({ id }) => !named.has(id));
  const held = await heldOf(access, strange);
  return {
    // What was not asked for is taken to be there: deleting what is gone does no harm.
    isStored: (datasetId) => !missing.has(datasetId),
    find: (sha256, fileName) =>
      (found.get(sha256) ?? [])
        .filter((dataset) => storedName(dataset.fileName) === storedName(fileName))
        .flatMap(({ id }) => held.get(id) ?? []),
  };
}

/** How the datasets of records stand that were not ready when they were last seen. */
export async function refreshed(access: ServiceAccess, held: Held): Promise<Held> {
  const { drs, retryPolicy, signal } = access;
  const { jobId } = held;
  const job =
    jobId === undefined ? undefined : await unlessMissing(retryPolicy.retry(() => drs.jobs.get(jobId, { signal })));
  if (job !== undefined) return { ...held, status: statusOf(job) };
  const dataset = await unlessMissing(retryPolicy.retry(() => drs.datasets.get(held.datasetId, { signal })));
  if (dataset === undefined) return held;
  return { ...((await heldOf(access, [dataset])).get(dataset.id) ?? held), vectorized: held.vectorized };
}

export function statusOf({ status }: Job): Held["status"] {
  return status === "SUCCESS" ? "ready" : status === "ERROR" ? "failed" : "working";
}

/** Undefined: the service does not have it. */
export async function unlessMissing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (cause) {
    if (isDrsError(cause) && cause.code === "not_found") return undefined;
    throw cause;
  }
}

/** Datasets that were not made by a job that is known, with what their jobs are at. */
async function heldOf(
  { drs, retryPolicy, signal }: ServiceAccess,
  datasets: readonly Dataset[],
): Promise<Map<string, Held>> {
  const all = new Map<string, Held>();
  if (datasets.length === 0) return all;
  const jobs = new Map<string, string>();
  const statuses = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] as const;
  const unfinished = await retryPolicy.retry(() => Array.fromAsync(drs.jobs.list({ statuses }, { signal })));
  for (const { datasetId, id } of unfinished) jobs.set(datasetId, id);
  for (const { id, sha256, itemCount } of datasets) {
    const jobId = jobs.get(id);
    // Its job may have ended since the dataset was read.
    const pages =
      itemCount > 0 || jobId !== undefined
        ? itemCount
        : ((await unlessMissing(retryPolicy.retry(() => drs.datasets.get(id, { signal }))))?.itemCount ?? 0);
    const status = jobId !== undefined ? "working" : pages > 0 ? "ready" : "failed";
    all.set(id, { datasetId: id, sha256, status, jobId, vectorized: false });
  }
  return all;
}

function isExpired({ expiresAt }: Dataset): boolean {
  return expiresAt !== null && expiresAt <= Date.now();
}
