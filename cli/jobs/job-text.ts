import type { Job, JobWarning } from "@drs/client";
import { formatAge, formatBytes, formatTime } from "../output/amounts.ts";
import { printable } from "../output/printable.ts";
import type { Column } from "../output/table.ts";
import type { Colour } from "../terminal/style.ts";

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
