import { formatBytes, formatDuration, sparkline } from "../output/amounts.ts";
import { type Column, tableLines } from "../output/table.ts";
import type { Style } from "../terminal/style.ts";
import type { Failure, QueuedJob, QueueRow, Snapshot } from "./snapshot.ts";

/** A job that waits or makes no progress for longer than this is highlighted. */
const slowMs = 600_000;
const maxFailures = 5;

/** Returns a snapshot as lines. `rates`: pages per second of the last moments, newest last. */
export function snapshotLines(
  snapshot: Snapshot,
  { style, rates, maxJobs }: { readonly style: Style; readonly rates: readonly number[]; readonly maxJobs: number },
): string[] {
  const { queue, failures, jobs } = snapshot;
  const shown = jobs.slice(0, maxJobs);
  return [
    ...headLines(snapshot, style, rates),
    "",
    ...(queue.length === 0 ? ["the queue is empty"] : tableLines(queue, queueColumns, style)),
    ...(failures.length === 0 ? [] : ["", ...tableLines(failures.slice(0, maxFailures), failureColumns, style)]),
    ...(shown.length === 0 ? [] : ["", ...tableLines(shown, jobColumns, style)]),
    ...(shown.length < jobs.length && shown.length > 0 ? [`${jobs.length - shown.length} more`] : []),
  ];
}

function headLines(snapshot: Snapshot, style: Style, rates: readonly number[]): string[] {
  const { worker, apiBytes, workers, disk, cache, pagesPerSecond, claimsLost, unread } = snapshot;
  const speed =
    pagesPerSecond === undefined
      ? "pages per second: not known yet"
      : `pages per second: ${pagesPerSecond.read.toFixed(1)} read, ${pagesPerSecond.embed.toFixed(1)} embedded`;
  const state = worker.isUp ? style.colour("green", "ready") : style.colour("red", "not ready");
  const isLow = disk !== undefined && disk.freeBytes < disk.sizeBytes / 10;
  const room = disk === undefined ? "?" : `${formatBytes(disk.freeBytes)} of ${formatBytes(disk.sizeBytes)} free`;
  return [
    `${style.bold(speed)}  ${style.colour("cyan", sparkline(rates))}`.trimEnd(),
    `worker ${state}, ${formatBytes(worker.bytes)}, replaced ${worker.restarts}×; API ${formatBytes(apiBytes)}; ` +
      `${workers} ${workers === 1 ? "worker process has" : "worker processes have"} jobs`,
    `disk ${isLow ? style.colour("red", room) : room}; cache ${
      cache === undefined ? "?" : `${formatBytes(cache.bytes)} of ${formatBytes(cache.maxBytes)}`
    }; lapsed claims ${claimsLost === 0 ? "0" : style.colour("yellow", String(claimsLost))}`,
    ...(unread.length === 0 ? [] : [style.colour("red", `the server cannot read: ${unread.join(", ")}`)]),
  ];
}

const queueColumns: readonly Column<QueueRow>[] = [
  { title: "STAGE", value: ({ stage }) => stage },
  { title: "STATE", value: ({ state }) => state },
  { title: "TYPE", value: ({ type }) => type, rank: 1 },
  { title: "JOBS", value: ({ count }) => String(count), align: "right" },
  {
    title: "UNCHANGED FOR",
    value: ({ ageMs }) => formatDuration(ageMs),
    colour: ({ ageMs }) => (ageMs > slowMs ? "yellow" : undefined),
  },
];

const failureColumns: readonly Column<Failure>[] = [
  { title: "FAILED", value: ({ what, stage }) => (stage === undefined ? what : `${what} (${stage})`) },
  { title: "REASON", value: ({ reason }) => reason },
  { title: "COUNT", value: ({ count }) => String(count), align: "right" },
];

const jobColumns: readonly Column<QueuedJob>[] = [
  { title: "OLDEST JOBS", value: ({ id }) => id },
  { title: "STAGE", value: ({ stage }) => stage },
  { title: "STATE", value: ({ state }) => state },
  {
    title: "PAGES",
    value: ({ pagesDone, pagesTotal }) => (pagesTotal === 0 ? "–" : `${pagesDone} of ${pagesTotal}`),
    align: "right",
  },
  { title: "AGE", value: ({ ageMs }) => formatDuration(ageMs) },
  {
    title: "UNCHANGED FOR",
    value: ({ unchangedMs }) => formatDuration(unchangedMs),
    rank: 4,
    colour: ({ unchangedMs }) => (unchangedMs > slowMs ? "yellow" : undefined),
  },
  { title: "TRIES", value: ({ tries }) => String(tries), align: "right", rank: 2 },
  { title: "WORKER", value: ({ worker }) => worker ?? "–", rank: 1, maxColumns: 24 },
  { title: "WORKSPACE", value: ({ workspaceId }) => workspaceId, rank: 3 },
];
