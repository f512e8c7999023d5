import type { JobType } from "../jobs/job.ts";

/** What is counted, with what tells one count from another. Every label is one of a few words: no ids, no names, no text. */
export interface Counts {
  /** Jobs that have ended. */
  readonly jobs: { readonly type: JobType; readonly result: JobResult; readonly reason: string };
  /** Jobs that were given back because of a failure that may pass. */
  readonly jobRetries: { readonly type: JobType; readonly reason: string };
  readonly jobClaims: { readonly type: JobType };
  /** `ended`: the job was cancelled, or deleted with its dataset; `lapsed`: it can be claimed, or is, by another worker. */
  readonly jobClaimsLost: { readonly cause: "ended" | "lapsed" };
  /** Pages by what a stage made of them. */
  readonly pages: {
    readonly stage: "read" | "render" | "embed";
    readonly result: "succeeded" | "failed";
    readonly reason: string;
  };
  /** Renditions that were asked for. */
  readonly renditions: { readonly result: "hit" | "miss" };
  /** Tries to deliver a webhook. `unanswered`: there was no answer, or nothing may be sent there. */
  readonly webhooks: { readonly result: "accepted" | "refused" | "unanswered" };
  readonly renditionEvictions: Readonly<Record<string, never>>;
}

/** What is timed. */
export interface Times {
  /** From the first claim of a job, or its creation where there was none, to its end. */
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
 * `turn`: waiting for other searches; `query`: what the worker makes of it; `words`, `documents`, `vectors`, `scores`, `reading`:
 * what the index is asked; `fusion`: one ranking out of several; `rows`: what is given out.
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

/** Takes the numbers that operators see. Never throws, never waits. */
export interface Meter {
  /** `by`: 1 when undefined. */
  count<Name extends keyof Counts>(name: Name, labels: Counts[Name], by?: number): void;
  time<Name extends keyof Times>(name: Name, labels: Times[Name], seconds: number): void;
}

/** For what is built without anybody who looks at numbers. */
export const noMeter: Meter = { count: () => undefined, time: () => undefined };

/** The same work, timed whether it succeeds or fails. */
export async function timed<Result>(done: (seconds: number) => void, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    return await work();
  } finally {
    done((performance.now() - startedAt) / 1000);
  }
}
