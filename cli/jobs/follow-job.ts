import type { Drs, Job } from "@drs/client";
import { formatDuration } from "../ui/duration.ts";
import type { ProgressRow } from "../ui/progress-row.ts";
import { createRate } from "../ui/rate.ts";
import { jobRow } from "./job-progress.ts";

export interface FollowOptions {
  /** What a line of progress calls it. */
  readonly label: string;
  readonly signal: AbortSignal;
  /** How long the service may stay away, milliseconds; default: that of the client. */
  readonly patienceMs?: number | undefined;
  readonly onState?: (job: Job) => void;
  readonly onRow?: (row: ProgressRow) => void;
}

/** What stands in a row while the service does not answer. */
export const awayNote = "the server does not answer, trying again";

/** Follows a job to its end, as rows of progress with the time left. Rejects when that becomes impossible. */
export async function followJob(
  drs: Drs,
  id: string,
  { label, signal, patienceMs, onState, onRow }: FollowOptions,
): Promise<Job> {
  const rowOf = createJobRows(label);
  let last: ProgressRow = { id, label, state: "active", note: "waiting" };
  return drs.jobs.wait(id, {
    signal,
    patienceMs,
    onUpdate(job) {
      onState?.(job);
      last = rowOf(job);
      onRow?.(last);
    },
    onAway: (away) => onRow?.(away ? { ...last, note: awayNote, amount: undefined, left: undefined } : last),
  });
}

/** The states of one job as rows; from its speed in a stage, how long the rest of that stage takes. */
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
