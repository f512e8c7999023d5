import { JobStatus as WireStatus, JobType as WireType } from "../gen/drs/v1/enums_pb.ts";
import type { Job as WireJob, JobProgress as WireProgress } from "../gen/drs/v1/jobs_pb.ts";
import { nameOf, type WireNames } from "../wire-names.ts";

export type JobType = "datasets/extract" | "datasets/vectorize";
/** SUCCESS and ERROR are final. */
export type JobStatus = "NOT_STARTED" | "IN_QUEUE" | "IN_PROGRESS" | "SUCCESS" | "ERROR";

/** Asynchronous work on one dataset. Times are milliseconds since the epoch, UTC. */
export interface Job {
  readonly id: string;
  readonly datasetId: string;
  readonly type: JobType;
  readonly status: JobStatus;
  /** Null while there is nothing to report, empty after success, the reason after an error. */
  readonly statusText: string | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly canceledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly progress: JobProgress;
  /** Pages that could not be processed; the other pages are unaffected. */
  readonly failures: readonly PageFailure[];
  /** Warnings about parts of the document that its pages do not show correctly; the job may still succeed. */
  readonly warnings: readonly JobWarning[];
}

export interface JobProgress {
  /** "queue", "fetch", "convert", "read", "render", "embed", "index" or "done". */
  readonly stage: string;
  /** Number of pages finished in this stage. */
  readonly pagesDone: number;
  /** Number of pages of the document; 0 until it has been opened. */
  readonly pagesTotal: number;
  /** Bytes received so far while the document is fetched from its URL. */
  readonly bytesDone?: number | undefined;
  /** Size of the document while it is fetched from its URL, if that server has announced it. */
  readonly bytesTotal?: number | undefined;
}

export interface PageFailure {
  /** Page number, from 1. */
  readonly page: number;
  readonly reason: string;
}

export interface JobWarning {
  /** "alt_chunk", "formula", "chart", "font", "locale" or "missing_words"; later versions may have others. */
  readonly code: string;
  /** Says what is lost, where, and what to do. */
  readonly message: string;
  /** Page number, from 1; undefined if not known. */
  readonly page?: number | undefined;
}

const jobTypes: WireNames<JobType, WireType> = [
  ["datasets/extract", WireType.EXTRACT],
  ["datasets/vectorize", WireType.VECTORIZE],
];

export const jobStatuses: WireNames<JobStatus, WireStatus> = [
  ["NOT_STARTED", WireStatus.NOT_STARTED],
  ["IN_QUEUE", WireStatus.IN_QUEUE],
  ["IN_PROGRESS", WireStatus.IN_PROGRESS],
  ["SUCCESS", WireStatus.SUCCESS],
  ["ERROR", WireStatus.ERROR],
];

export function isFinished(job: Job): boolean {
  return job.status === "SUCCESS" || job.status === "ERROR";
}

export function jobOf(wire: WireJob): Job {
  return {
    id: wire.id,
    datasetId: wire.datasetId,
    type: nameOf(jobTypes, wire.type),
    status: nameOf(jobStatuses, wire.status),
    statusText: wire.statusText ?? null,
    startedAt: wire.startedAt ?? null,
    finishedAt: wire.finishedAt ?? null,
    canceledAt: wire.canceledAt ?? null,
    createdAt: wire.createdAt,
    updatedAt: wire.updatedAt ?? null,
    progress: progressOf(wire.progress),
    failures: wire.failures.map(({ page, reason }) => ({ page, reason })),
    warnings: wire.warnings.map(({ code, message, page }) => ({
      code,
      message,
      ...(page === undefined ? {} : { page }),
    })),
  };
}

function progressOf(wire: WireProgress | undefined): JobProgress {
  const { stage = "queue", pagesDone = 0, pagesTotal = 0, bytesDone, bytesTotal } = wire ?? {};
  return {
    stage,
    pagesDone,
    pagesTotal,
    ...(bytesDone === undefined ? {} : { bytesDone }),
    ...(bytesTotal === undefined ? {} : { bytesTotal }),
  };
}
