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
  /** Null while there is nothing to say, empty after success, the reason after an error. */
  readonly statusText: string | null;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly canceledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly progress: JobProgress;
  /** Pages that could not be processed; the other pages are unaffected. */
  readonly failures: readonly PageFailure[];
  /** Losses: what the document has and its pages do not show as it is; the job may succeed all the same. */
  readonly warnings: readonly JobWarning[];
}

export interface JobProgress {
  /** "queue", "fetch", "convert", "read", "render", "embed", "index" or "done". */
  readonly stage: string;
  /** Pages finished in this stage. */
  readonly pagesDone: number;
  /** Pages of the document; 0 until it has been opened. */
  readonly pagesTotal: number;
  /** While the document is fetched from its URL: bytes received so far. */
  readonly bytesDone?: number | undefined;
  /** While the document is fetched from its URL: its size, if the other side said it. */
  readonly bytesTotal?: number | undefined;
}

export interface PageFailure {
  /** From 1. */
  readonly page: number;
  readonly reason: string;
}

export interface JobWarning {
  /** "alt_chunk", "formula", "chart", "font", "locale" or "missing_words"; later services may have others. */
  readonly code: string;
  /** What is lost, where, and what to do. */
  readonly message: string;
  /** From 1; undefined: it is not known. */
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
