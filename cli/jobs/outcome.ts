import type { Job } from "@drs/client";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

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
