import type { Job } from "@drs/client";
import { count, formatBytes } from "../output/amounts.ts";
import type { ProgressRow } from "../ui/progress-row.ts";

/** Descriptions of a job's stages; an unknown stage is shown by the server's name for it. */
const stages: ReadonlyMap<string, string> = new Map([
  ["queue", "waiting for a worker"],
  ["fetch", "fetching"],
  ["convert", "converting to PDF"],
  ["read", "reading pages"],
  ["render", "making pictures"],
  ["embed", "embedding pages"],
  ["index", "indexing"],
  ["done", "finishing"],
]);

/** Returns a job as a progress row. */
export function jobRow(job: Job, label: string): ProgressRow {
  const row = { id: job.id, label };
  const { stage, pagesDone, pagesTotal } = job.progress;
  if (job.status === "SUCCESS") {
    const failed = job.failures.length;
    const done = pagesTotal === 0 ? "done" : count(pagesTotal, "page");
    const lost = lossesOf(job);
    return failed === 0
      ? { ...row, state: "done", note: `${done}${lost}` }
      : { ...row, state: "partly", note: `${done}, ${failed} failed${lost}` };
  }
  if (job.status === "ERROR") return { ...row, state: "failed", note: reasonOf(job) };
  const pages =
    pagesTotal > 0 && stage !== "queue"
      ? { fraction: Math.min(1, pagesDone / pagesTotal), amount: `${pagesDone} of ${pagesTotal} pages` }
      : {};
  return { ...row, state: "active", note: stages.get(stage) ?? stage, ...(stage === "fetch" ? fetched(job) : pages) };
}

/** Returns how much of a document has been fetched from its address; not every server states the size. */
function fetched({ progress: { bytesDone = 0, bytesTotal } }: Job): Pick<ProgressRow, "fraction" | "amount"> {
  if (bytesTotal === undefined || bytesTotal === 0) return { amount: formatBytes(bytesDone) };
  return {
    fraction: Math.min(1, bytesDone / bytesTotal),
    amount: `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`,
  };
}

/** Returns the number of warnings of the job, to be added to a sentence; empty if there are none. */
export function lossesOf({ warnings }: Pick<Job, "warnings">): string {
  return warnings.length === 0 ? "" : `, ${count(warnings.length, "warning")}`;
}

export function reasonOf(job: Job): string {
  return job.canceledAt === null ? job.statusText || "failed without a reason" : "cancelled";
}
