import type { JobType } from "../jobs/job.ts";

/** Counters with their labels. Every label has only a few values: no ids, no names, no text. */
export interface Counts {
  /** Jobs that have ended. */
  readonly jobs: { readonly type: JobType; readonly result: JobResult; readonly reason: string };
  /** Jobs that were given back after a temporary failure. */
  readonly jobRetries: { readonly type: JobType; readonly reason: string };
  readonly jobClaims: { readonly type: JobType };
  /** `ended`: the job was cancelled, or deleted with its dataset; `lapsed`: another worker can claim it, or has. */
  readonly jobClaimsLost: { readonly cause: "ended" | "lapsed" };
  /** Results of each stage, by page. */
  readonly pages: {
    readonly stage: "read" | "render" | "embed";
    readonly result: "succeeded" | "failed";
    readonly reason: string;
  };
  /** Requested renditions. */
  readonly renditions: { readonly result: "hit" | "miss" };
  /** Attempts to deliver a webhook. `unanswered`: there was no answer, or the address is not allowed. */
  readonly webhooks: { readonly result: "accepted" | "refused" | "unanswered" };
  readonly renditionEvictions: Readonly<Record<string, never>>;
}

/** Timers with their labels. */
export interface Times {
  /** From the first claim of a job, or its creation if there was none, to its end. */
  readonly jobs: { readonly type: JobType; readonly result: JobResult };
  /** From the creation of a job to its first claim. */
  readonly jobWaits: { readonly type: JobType };
  readonly searches: { readonly part: SearchPart };
  /** `operation` is a method of the store's port. */
  readonly stores: {
    readonly store: "metadata" | "blobs" | "vectors";
    readonly operation: string;
    readonly result: "succeeded" | "failed";
  };
}

export type JobResult = "succeeded" | "failed" | "canceled";

/**
 * Parts of a search. `turn`: waiting for other searches; `query`: embedding by the worker; `words`, `documents`,
 * `vectors`, `scores`, `reading`: requests to the index; `fusion`: combining rankings into one; `rows`: loading the
 * results.
 */
export type SearchPart =
  | "turn"
  | "query"
  | "words"
  | "documents"
  | "vectors"
  | "scores"
  | "reading"
  | "fusion"
  | "rows";

/** Records the metrics that operators see. Never throws, never waits. */
export interface Meter {
  /** `by` is 1 by default. */
  count<Name extends keyof Counts>(name: Name, labels: Counts[Name], by?: number): void;
  time<Name extends keyof Times>(name: Name, labels: Times[Name], seconds: number): void;
}

/** For components that are built without metrics. */
export const noMeter: Meter = { count: () => undefined, time: () => undefined };

/** Runs the work and reports its duration, whether it succeeds or fails. */
export async function timed<Result>(done: (seconds: number) => void, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    done((performance.now() - startedAt) / 1000);
  }
}
