import type { Drs, Job } from "@drs/client";
import { formatDuration } from "../output/amounts.ts";
import { createRate, type ProgressRow } from "../ui/progress-row.ts";
import { jobRow } from "./job-text.ts";

interface FollowOptions {
  /** The name of the job in a progress line. */
  readonly label: string;
  readonly signal: AbortSignal;
  /** How long to retry while the service does not answer, milliseconds; default: that of the client. */
  readonly retryTimeoutMs?: number | undefined;
  readonly onState?: (job: Job) => void;
  readonly onRow?: (row: ProgressRow) => void;
}

/** The note of a row while the service does not answer. */
const awayNote = "the server does not answer, trying again";

/**
 * Follows a job to its end and reports it as progress rows with the time left. Rejects when that becomes impossible.
 */
export async function followJob(
  drs: Drs,
  id: string,
  { label, signal, retryTimeoutMs, onState, onRow }: FollowOptions,
): Promise<Job> {
  const rowOf = createJobRows(label);
  let last: ProgressRow = { id, label, state: "active", note: "waiting" };
  return drs.jobs.wait(id, {
    signal,
    retryTimeoutMs,
    onUpdate(job) {
      onState?.(job);
      last = rowOf(job);
      onRow?.(last);
    },
    onAway: (away) => onRow?.(away ? { ...last, note: awayNote, amount: undefined, left: undefined } : last),
  });
}

/**
 * Returns a function that turns the states of one job into rows, with the time left of a stage estimated from its
 * speed.
 */
export function createJobRows(label: string, clock: () => number = Date.now): (job: Job) => ProgressRow {
  let stage = "";
  let rateOf = createRate(clock);
  return (job) => {
    const row = jobRow(job, label);
    if (job.progress.stage !== stage) rateOf = createRate(clock);
    stage = job.progress.stage;
    if (row.fraction === undefined || row.amount === undefined) return row;
    const rate = rateOf(row.fraction);
    if (rate === undefined || rate <= 0 || row.fraction >= 1) return row;
    const leftMs = ((1 - row.fraction) / rate) * 1000;
    return leftMs < 1_000 ? row : { ...row, left: `${formatDuration(leftMs)} left` };
  };
}
