import type { Dataset, Drs, Job } from "@drs/client";
import { mapConcurrent } from "../../bounded.ts";
import { isDrsError } from "../../failures.ts";
import type { RetryPolicy } from "../../upload/sending/retry.ts";
import { unfinishedJobs } from "../../upload/sending/stored.ts";
import { datasetsOf, type Held, type SyncRecord } from "../state/record.ts";

/** The datasets on the service that belong to the documents of a folder. */
export interface Stock {
  isStored(datasetId: string): boolean;
  /** Returns a dataset as it was seen; undefined if it was not requested or does not exist. */
  seen(datasetId: string): Pick<Dataset, "fileName" | "sha256"> | undefined;
  /** Returns the unfinished job of a dataset; known only if responses to new versions were lost. */
  unfinishedJob(datasetId: string): string | undefined;
  /** Returns datasets by the content and name of their documents, newest first. */
  find(sha256: string, fileName: string): readonly Held[];
}

interface ServiceAccess {
  readonly drs: Drs;
  readonly retryPolicy: RetryPolicy;
  readonly signal: AbortSignal;
}

/** The service's limit of checksums in one request. */
const sumsAtOnce = 100;
const questionsAtOnce = 4;

/** Finds the datasets of the records and those with the given contents. */
export async function takeStock(
  access: ServiceAccess,
  records: Iterable<SyncRecord>,
  sums: ReadonlySet<string>,
): Promise<Stock> {
  const { drs, signal } = access;
  const found = new Map<string, Dataset[]>();
  const stored = new Map<string, Dataset>();
  const asked = [...sums];
  const batches = Array.from({ length: Math.ceil(asked.length / sumsAtOnce) }, (_, index) =>
    asked.slice(index * sumsAtOnce, (index + 1) * sumsAtOnce),
  );
  await mapConcurrent(batches, questionsAtOnce, async (sha256) => {
    const listed = await access.retryPolicy.retry(() => Array.fromAsync(drs.datasets.list({ sha256 }, { signal })));
    for (const dataset of listed) {
      if (isExpired(dataset)) continue;
      stored.set(dataset.id, dataset);
      const others = found.get(dataset.sha256);
      if (others === undefined) found.set(dataset.sha256, [dataset]);
      else others.push(dataset);
    }
  });
  // Entries move between the pages of a list while it is read, so missing ones are requested by id.
  const doubtful = [...records]
    .flatMap(datasetsOf)
    .filter(({ datasetId, sha256 }) => sums.has(sha256) && !stored.has(datasetId));
  const missing = new Set<string>();
  await mapConcurrent(doubtful, questionsAtOnce, async ({ datasetId }) => {
    const dataset = await unlessMissing(access.retryPolicy.retry(() => drs.datasets.get(datasetId, { signal })));
    if (dataset === undefined || isExpired(dataset)) missing.add(datasetId);
    else stored.set(datasetId, dataset);
  });
  const named = new Set([...records].flatMap(datasetsOf).map(({ datasetId }) => datasetId));
  const strange = [...found.values()].flat().filter(({ id }) => !named.has(id));
  const held = await heldOf(access, strange);
  const isVersion = ({ sendings }: SyncRecord): boolean => sendings.some(({ datasetId }) => datasetId !== undefined);
  const unfinished = [...records].some(isVersion)
    ? await access.retryPolicy.retry(() => unfinishedJobs(access.drs, { signal: access.signal }))
    : new Map<string, string>();
  return {
    // Datasets that were not requested are assumed to exist: deleting a missing one does no harm.
    isStored: (datasetId) => !missing.has(datasetId),
    seen: (datasetId) => stored.get(datasetId),
    unfinishedJob: (datasetId) => unfinished.get(datasetId),
    find: (sha256, fileName) =>
      (found.get(sha256) ?? [])
        .filter((dataset) => storedName(dataset.fileName) === storedName(fileName))
        .flatMap(({ id }) => held.get(id) ?? []),
  };
}

/** Returns a record whose dataset was not ready when last seen, with its current state. */
export async function refreshed(access: ServiceAccess, record: SyncRecord): Promise<SyncRecord> {
  const { drs, retryPolicy, signal } = access;
  const { held } = record;
  if (held === undefined) return record;
  const { jobId } = held;
  const job =
    jobId === undefined ? undefined : await unlessMissing(retryPolicy.retry(() => drs.jobs.get(jobId, { signal })));
  if (job !== undefined) return withOutcome(access, record, job);
  const dataset = await unlessMissing(retryPolicy.retry(() => drs.datasets.get(held.datasetId, { signal })));
  if (dataset === undefined) return record;
  const now = (await heldOf(access, [dataset])).get(dataset.id) ?? held;
  const { vectorized, isMisnamed, isAdopted } = held;
  return { ...record, held: { ...now, vectorized, isMisnamed, isAdopted } };
}

/**
 * Returns a record with the state of its job. If a new version could not be read, the previous one stays, and a failure
 * is recorded. Once the job of a new version has ended, the service is asked for the content of the dataset.
 */
export async function withOutcome(access: ServiceAccess, record: SyncRecord, job: Job): Promise<SyncRecord> {
  const { held } = record;
  if (held === undefined) return record;
  const status = statusOf(job);
  if (held.before === undefined || status === "working")
    return status === held.status ? record : { ...record, held: { ...held, status } };
  const { before, ...version } = held;
  const { drs, retryPolicy, signal } = access;
  const dataset = await unlessMissing(retryPolicy.retry(() => drs.datasets.get(held.datasetId, { signal })));
  if (dataset === undefined) return { ...record, held: undefined };
  if (status === "ready") return { ...record, held: { ...version, status, sha256: dataset.sha256 } };
  const refused = { sha256: held.sha256, reason: job.statusText ?? "", isFailure: true } as const;
  return { ...record, held: { ...version, ...before, jobId: undefined }, refused };
}

export function statusOf({ status }: Job): Held["status"] {
  return status === "SUCCESS" ? "ready" : status === "ERROR" ? "failed" : "working";
}

/** Resolves with undefined if the service answers that the requested thing does not exist. */
export async function unlessMissing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (cause) {
    if (isDrsError(cause) && cause.code === "not_found") return undefined;
    throw cause;
  }
}

/** Returns the state of datasets whose job is not known. */
async function heldOf(
  { drs, retryPolicy, signal }: ServiceAccess,
  datasets: readonly Dataset[],
): Promise<Map<string, Held>> {
  const all = new Map<string, Held>();
  if (datasets.length === 0) return all;
  const jobs = await retryPolicy.retry(() => unfinishedJobs(drs, { signal }));
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

/**
 * Returns a name as the service stores it: in composed form (NFC), only the part after the last slash or backslash,
 * without control characters and direction marks, and trimmed. File systems write the same name in several ways.
 */
export function storedName(fileName: string): string {
  const last = fileName.normalize("NFC").split(/[\\/]/).at(-1) ?? "";
  return last.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, "").trim();
}
