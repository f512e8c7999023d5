import type { Job } from "@drs/client";
import { mapConcurrent } from "../bounded.ts";
import type { Session } from "../commands/command.ts";
import { documentName } from "../documents/find-document.ts";
import { count } from "../output/amounts.ts";
import { hasEnded, type ProgressRow } from "../ui/progress-row.ts";
import { openProgress } from "../ui/progress.ts";
import { followJob } from "./follow-job.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

/** Each job that is followed keeps a stream open; the others wait for their turn. */
const followedAtOnce = 16;
const namesAtOnce = 4;

/**
 * Follows jobs on the screen, or as one line of JSON per state. Resolves with the finished jobs in the given order. If
 * there are many, the first ones are followed first, which should be the oldest: jobs are processed in that order.
 */
export async function watchJobs({ drs, output, io }: Session, jobs: readonly Job[]): Promise<Job[]> {
  const { signal } = io;
  const names = output.json
    ? []
    : await mapConcurrent(jobs, namesAtOnce, ({ datasetId }) => documentName(drs, datasetId, signal));
  const rows = new Map<string, ProgressRow>(
    jobs.map(({ id }, index) => [id, { id, label: names[index] ?? id, state: "waiting", note: "waiting" }]),
  );
  const tally = { ended: 0, failed: 0 };
  const view = output.json ? undefined : await openProgress(io, false);
  const show = (row: ProgressRow): void => {
    rows.set(row.id, row);
    if (hasEnded(row)) tally.ended += 1;
    if (row.state === "failed") tally.failed += 1;
    view?.update([...rows.values()], jobs.length === 1 ? [] : totals(tally, jobs.length));
    // Ended jobs have been shown.
    if (hasEnded(row)) rows.delete(row.id);
  };
  try {
    return await mapConcurrent(jobs, followedAtOnce, ({ id }, index) =>
      followJob(drs, id, { label: names[index] ?? id, signal, onState: output.event, onRow: show }),
    );
  } finally {
    await view?.close();
  }
}

function totals({ ended, failed }: { ended: number; failed: number }, all: number): string[] {
  return [`${ended} of ${count(all, "job")} ended`, ...(failed === 0 ? [] : [`${failed} failed`])];
}

/** Follows a job on the screen, or as one line of JSON per state. Resolves with the finished job. */
export async function watchJob(
  { drs, output, io }: Session,
  { id, label, retryTimeoutMs }: { id: string; label: string; retryTimeoutMs: number },
): Promise<Job> {
  const view = output.json ? undefined : await openProgress(io, false);
  try {
    return await followJob(drs, id, {
      label,
      signal: io.signal,
      retryTimeoutMs,
      onState: output.event,
      onRow: (row) => view?.update([row]),
    });
  } finally {
    await view?.close();
  }
}

/** Returns the exit code of a command that has waited for these jobs. */
export function exitCodeOfJobs(jobs: readonly Pick<Job, "status" | "failures">[]): ExitCode {
  const failed = jobs.filter(({ status }) => status === "ERROR").length;
  if (jobs.length > 0 && failed === jobs.length) return exitCodes.failed;
  return failed > 0 || jobs.some(({ failures }) => failures.length > 0) ? exitCodes.partly : exitCodes.ok;
}

/** Returns whether the job failed in whole or in part and was not cancelled. */
export function isWorthRetrying({
  status,
  canceledAt,
  failures,
}: Pick<Job, "status" | "canceledAt" | "failures">): boolean {
  return canceledAt === null && (status === "ERROR" || (status === "SUCCESS" && failures.length > 0));
}
