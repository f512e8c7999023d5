import type { Job } from "@drs/client";
import { count, formatBytes } from "../output/amounts.ts";
import type { ProgressRow } from "../ui/progress-row.ts";

/** What a job's stages are called in a sentence; another stage is shown as the server names it. */
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

/** A job as a line of progress. */
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

/** How much of a document has been fetched from its address; not every server says how large it is. */
function fetched({ progress: { bytesDone = 0, bytesTotal } }: Job): Pick<ProgressRow, "fraction" | "amount"> {
  if (bytesTotal === undefined || bytesTotal === 0) return { amount: formatBytes(bytesDone) };
  return {
    fraction: Math.min(1, bytesDone / bytesTotal),
    amount: `${formatBytes(bytesDone)} of ${formatBytes(bytesTotal)}`,
  };
}

/** How many warnings the job has, to follow what is said of its pages; empty without any. */
export function lossesOf({ warnings }: Pick<Job, "warnings">): string {
  return warnings.length === 0 ? "" : `, ${count(warnings.length, "warning")}`;
}

export function reasonOf(job: Job): string {
  return job.canceledAt === null ? job.statusText || "failed without a reason" : "cancelled";
}
