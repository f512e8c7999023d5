import type { Job, JobWarning, PageFailure } from "@drs/client";
import { type ExitCode, exitCodes } from "../../exit-codes.ts";
import type { Failure } from "../../failures.ts";
import { count } from "../../output/amounts.ts";
import { printable } from "../../output/printable.ts";
import { lossesOf, reasonOf, warningText } from "../../jobs/job-text.ts";
import { shownName } from "../sources/source.ts";

/** The outcome of one file. */
export type UploadResult = Accepted | Skipped | Failed;

interface Ended {
  /** The file as it was named or found, an address, or "-". */
  readonly file: string;
  /** Bytes; 0 if not known. */
  readonly bytes: number;
}

/** The document was accepted; its job has ended unless the run does not wait. */
export interface Accepted extends Ended {
  readonly outcome: "uploaded" | "vectorized";
  readonly job: Job;
}

/** The service already has it. */
export interface Skipped extends Ended {
  readonly outcome: "skipped";
  readonly datasetId: string;
  /** The file of this run that has the same content; undefined if it was stored before. */
  readonly sameAs?: string | undefined;
  /**
   * When the stored document expires, milliseconds since the epoch; null if never, undefined if that was not requested.
   */
  readonly expiresAt?: number | null | undefined;
  /** The unfinished job of the stored document, if the run has waited for one. */
  readonly job?: Job | undefined;
}

/** The document was not accepted, or its job could not be followed. */
export interface Failed extends Ended {
  readonly outcome: "failed";
  readonly failure: Failure;
  /** The job, if the service had accepted it. */
  readonly job?: Job | undefined;
}

/** Returns whether the file has failed: it was not sent, or its job failed. */
export function hasFailed(result: UploadResult): boolean {
  return result.outcome === "failed" || result.job?.status === "ERROR";
}

export function failedPages(result: UploadResult): readonly PageFailure[] {
  return result.outcome === "failed" ? [] : (result.job?.failures ?? []);
}

/** Returns the warnings of a document that was accepted. */
export function warningsOf(result: UploadResult): readonly JobWarning[] {
  return result.outcome === "failed" ? [] : (result.job?.warnings ?? []);
}

/** Returns one line of `--json` and of the report: the job as the service describes it, with the file in front. */
export function jsonOf(result: UploadResult): object {
  const { file, job } = result;
  const outcome = hasFailed(result) ? "failed" : result.outcome;
  const jobPart = job === undefined ? {} : { datasetId: job.datasetId, jobId: job.id, status: job.status };
  if (result.outcome === "failed") {
    const { message, code, next } = result.failure;
    return { file, outcome, error: message, code, ...(next === "" ? {} : { next }), ...jobPart };
  }
  return {
    file,
    outcome,
    ...(result.outcome === "skipped" ? skipPart(result) : {}),
    ...jobPart,
    ...(job?.status === "ERROR" ? { error: reasonOf(job) } : {}),
    ...(job === undefined ? {} : { failures: job.failures, warnings: job.warnings, job }),
  };
}

function skipPart({ datasetId, sameAs, expiresAt }: Skipped): object {
  return sameAs === undefined
    ? { reason: "already there", datasetId, expiresAt }
    : { reason: "same content", sameAs, datasetId };
}

/** Returns the outcome of a file in a few words, its dataset first. */
export function noteOf(result: UploadResult): string {
  if (result.outcome === "failed") return result.failure.message;
  const { job } = result;
  if (result.outcome === "skipped") {
    const { sameAs, datasetId } = result;
    const skipped = sameAs === undefined ? "already there" : `same content as ${sameAs}`;
    return `${skipped} (${datasetId})${job === undefined ? "" : `, ${ending(job)}`}`;
  }
  return result.job.status === "ERROR" ? ending(result.job) : `${result.job.datasetId}, ${ending(result.job)}`;
}

function ending(job: Job): string {
  if (job.status === "ERROR") return `failed: ${reasonOf(job)}`;
  if (job.status !== "SUCCESS") return `job ${job.id}`;
  const failed = job.failures.length === 0 ? "" : `, ${job.failures.length} of them failed`;
  return `${count(job.progress.pagesTotal, "page")}${failed}${lossesOf(job)}`;
}

/** Returns the lines for a person, including each failed page. */
export function resultLines(result: UploadResult): string[] {
  const not = result.outcome === "failed" && result.job === undefined ? "not uploaded: " : "";
  return [
    `${printable(shownName(result.file))}: ${not}${printable(noteOf(result))}`,
    ...failedPages(result).map(({ page, reason }) => `  page ${page}: ${printable(reason)}`),
    ...warningsOf(result).map((warning) => `  warning: ${warningText(warning)}`),
  ];
}

/** Returns the exit code that the file alone would cause. */
export function exitCodeOf(result: UploadResult): ExitCode {
  if (result.outcome === "failed") return result.failure.exitCode;
  if (hasFailed(result)) return exitCodes.failed;
  return failedPages(result).length > 0 ? exitCodes.partly : exitCodes.ok;
}
