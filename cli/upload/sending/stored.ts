import type { Dataset, Drs, Job } from "@drs/client";
import { isDrsError } from "../../failures.ts";

/** A document that the service already has. */
export interface Stored {
  readonly dataset: Dataset;
  /** The unfinished job that works on it. */
  readonly jobId: string | undefined;
}

/** The service's limit of checksums in one request. */
const sumsAtOnce = 100;

/**
 * Creates a function that finds documents by their SHA-256, hexadecimal; it resolves with undefined if the service has
 * no usable document with that content.
 */
export function findStored(
  drs: Drs,
  { vectorize, signal }: { vectorize: boolean; signal: AbortSignal },
): (sha256: string) => Promise<Stored | undefined> {
  const request = { signal };
  // Read once, and again for a dataset without pages that has no job here. Jobs that have ended since do no harm.
  let unfinished: ReadonlyMap<string, string> | undefined;
  const jobOfDataset = async ({ id, itemCount }: Dataset): Promise<string | undefined> => {
    if (unfinished === undefined || (itemCount === 0 && !unfinished.has(id)))
      unfinished = await unfinishedJobs(drs, request);
    return unfinished.get(id);
  };
  const datasetsOf = batched(sumsAtOnce, async (sums) => {
    const found = new Map<string, Dataset[]>();
    for await (const dataset of drs.datasets.list({ sha256: sums }, request)) {
      found.set(dataset.sha256, [...(found.get(dataset.sha256) ?? []), dataset]);
    }
    return (sum) => found.get(sum) ?? [];
  });

  return async (sha256) => {
    const usable: Stored[] = [];
    for (const dataset of await datasetsOf(sha256)) {
      if (dataset.expiresAt !== null && dataset.expiresAt <= Date.now()) continue;
      const jobId = await jobOfDataset(dataset);
      // A dataset without pages and without a job is a document that could not be opened.
      if (dataset.itemCount > 0 || jobId !== undefined) usable.push({ dataset, jobId });
    }
    if (!vectorize || usable.length < 2) return usable[0];
    // If there are several, prefer one that can be searched already: duplicate pages would crowd every search.
    for (const stored of usable) if (await hasEmbeddings(drs, stored.dataset, request)) return stored;
    return usable[0];
  };
}

/**
 * Starts the job that makes a stored dataset searchable; resolves with undefined if that has been done or is in
 * progress.
 */
export async function vectorizeStored(drs: Drs, id: string, signal: AbortSignal): Promise<Job | undefined> {
  try {
    return await drs.datasets.vectorize(id, { signal });
  } catch (cause) {
    if (isDrsError(cause) && cause.code === "already_exists") return undefined;
    throw cause;
  }
}

/** Returns the unfinished jobs of the workspace, by dataset. */
export async function unfinishedJobs(drs: Drs, request: { signal: AbortSignal }): Promise<ReadonlyMap<string, string>> {
  const jobs = new Map<string, string>();
  const statuses = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] as const;
  for await (const { datasetId, id } of drs.jobs.list({ statuses }, request)) jobs.set(datasetId, id);
  return jobs;
}

async function hasEmbeddings(drs: Drs, { id }: Dataset, request: { signal: AbortSignal }): Promise<boolean> {
  return (await drs.items.page(id, { row: "embedding_image", limit: 1 }, request)).total > 0;
}

/** Combines concurrent requests into one; each gets its own answer. */
export function batched<Answer>(
  limit: number,
  ask: (keys: readonly string[]) => Promise<(key: string) => Answer>,
): (key: string) => Promise<Answer> {
  interface Question {
    readonly key: string;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (cause: unknown) => void;
  }
  const waiting: Question[] = [];
  let asking = false;
  const askAll = async (): Promise<void> => {
    asking = true;
    // While one request is running the next ones gather, so no request waits for a full batch.
    while (waiting.length > 0) {
      const batch = waiting.splice(0, limit);
      try {
        const answerTo = await ask(batch.map(({ key }) => key));
        for (const { key, resolve } of batch) resolve(answerTo(key));
      } catch (cause) {
        for (const { reject } of batch) reject(cause);
      }
    }
    asking = false;
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (!asking) void askAll();
    });
}
