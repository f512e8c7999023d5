import type { Drs, Job, JobWarning } from "@drs/client";
import { count, formatAge, formatBytes, formatTime } from "../output/amounts.ts";
import { printable } from "../output/printable.ts";
import type { Column } from "../output/table.ts";
import type { Colour } from "../terminal/style.ts";
import { mapConcurrent } from "../bounded.ts";
import { documentName } from "../documents/find-document.ts";
import type { ProgressRow } from "../ui/progress-row.ts";

const colours: Readonly<Record<Job["status"], Colour>> = {
  NOT_STARTED: "gray",
  IN_QUEUE: "gray",
  IN_PROGRESS: "cyan",
  SUCCESS: "green",
  ERROR: "red",
};

/** A job with the name of its document; undefined if not requested or gone. */
export type NamedJob = Job & { readonly fileName?: string | undefined };

/** Columns of a table of jobs. */
export const jobColumns: readonly Column<NamedJob>[] = [
  { title: "JOB", value: ({ id }) => id },
  { title: "NAME", minColumns: 12, maxColumns: 40, rank: 6, value: ({ fileName }) => fileName ?? "–" },
  { title: "DATASET", rank: 2, value: ({ datasetId }) => datasetId },
  { title: "TYPE", rank: 3, value: ({ type }) => type.replace("datasets/", "") },
  {
    title: "STATUS",
    value: ({ status, canceledAt }) => (canceledAt === null ? status : "CANCELLED"),
    colour: ({ status, failures }) => (status === "SUCCESS" && failures.length > 0 ? "yellow" : colours[status]),
  },
  { title: "PROGRESS", align: "right", value: progressOf },
  { title: "FAILED", align: "right", rank: 4, value: ({ failures }) => String(failures.length) },
  { title: "CREATED", rank: 5, value: ({ createdAt }) => formatAge(createdAt) },
  { title: "REASON", rank: 1, minColumns: 20, value: ({ statusText }) => statusText ?? "" },
];

/** Returns the finished pages out of all pages; while the document is fetched, the bytes. */
function progressOf({ progress: { stage, pagesDone, pagesTotal, bytesDone, bytesTotal } }: Job): string {
  if (stage === "fetch" && bytesDone !== undefined)
    return bytesTotal === undefined || bytesTotal === 0
      ? formatBytes(bytesDone)
      : `${formatBytes(bytesDone)}/${formatBytes(bytesTotal)}`;
  return pagesTotal === 0 ? "–" : `${pagesDone}/${pagesTotal}`;
}

/** Returns a warning in words. */
export function warningText({ page, message }: JobWarning): string {
  return `${page === undefined ? "" : `page ${page}: `}${printable(message)}`;
}

/** Returns the lines that describe a job. */
export function jobLines(job: Job): string[] {
  const { stage, pagesDone, pagesTotal } = job.progress;
  return [
    `job       ${job.id} (${job.type})`,
    `dataset   ${job.datasetId}`,
    `status    ${job.canceledAt === null ? job.status : `cancelled at ${formatTime(job.canceledAt)}`}`,
    ...(job.statusText === null || job.statusText === "" ? [] : [`reason    ${printable(job.statusText)}`]),
    `progress  ${stage}, ${stage === "fetch" ? progressOf(job) : `${pagesDone} of ${pagesTotal || "?"} pages`}`,
    `created   ${formatTime(job.createdAt)}`,
    `started   ${formatTime(job.startedAt)}`,
    `finished  ${formatTime(job.finishedAt)}`,
    ...job.failures.map(({ page, reason }) => `failed    page ${page}: ${printable(reason)}`),
    ...job.warnings.map((warning) => `warning   ${warningText(warning)}`),
  ];
}

const namesAtOnce = 4;
/** Maximum number of documents whose names are read, newest first: a hundred requests. */
const maxNamesRead = 10_000;

/** Adds the names of their documents to a few jobs. */
export async function withNames(drs: Drs, jobs: readonly Job[], signal: AbortSignal): Promise<NamedJob[]> {
  const ids = [...new Set(jobs.map(({ datasetId }) => datasetId))];
  const names = new Map(
    await mapConcurrent(ids, namesAtOnce, async (id) => [id, await documentName(drs, id, signal)] as const),
  );
  return jobs.map((job) => {
    const fileName = names.get(job.datasetId);
    return { ...job, fileName: fileName === job.datasetId ? undefined : fileName };
  });
}

/** Returns the names of all documents of the workspace, by dataset id. */
export async function namesOfAll(drs: Drs, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for await (const { id, fileName } of drs.datasets.list({ limit: maxNamesRead }, { signal })) names.set(id, fileName);
  return names;
}

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
