import type { Drs, Job } from "@drs/client";
import { isDrsError } from "../failures.ts";
import { count } from "../output/amounts.ts";

/** Maximum number of unfinished jobs that are looked at. */
const maxJobs = 100;
/** Maximum number of ids in a sentence. */
const maxIds = 3;

/**
 * Returns the unfinished jobs that will make more pages searchable; `datasetIds`: only jobs of these, or of all if
 * undefined.
 */
export async function pendingJobs(
  drs: Drs,
  datasetIds: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly Job[]> {
  const statuses = ["NOT_STARTED", "IN_QUEUE", "IN_PROGRESS"] as const;
  try {
    const jobs = await Array.fromAsync(drs.jobs.list({ statuses, limit: maxJobs }, { signal }));
    return jobs.filter(
      ({ type, datasetId }) =>
        type === "datasets/vectorize" && (datasetIds === undefined || datasetIds.includes(datasetId)),
    );
  } catch (cause) {
    // A key that may only search cannot read jobs.
    if (isDrsError(cause) && cause.code === "permission_denied") return [];
    throw cause;
  }
}

/** Returns a note about documents whose pages cannot be found yet. */
export function pendingNote(jobs: readonly Job[]): string | undefined {
  if (jobs.length === 0) return undefined;
  const documents = new Set(jobs.map(({ datasetId }) => datasetId)).size;
  const watched = jobs.length <= maxIds ? jobs.map(({ id }) => id).join(" ") : "--all";
  const are = documents === 1 ? "is" : "are";
  return `${count(documents, "document")} ${are} still being read, pages may be missing: drs jobs watch ${watched}`;
}
