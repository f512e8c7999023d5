import type { JobId, WorkspaceId } from "../ids.ts";
import type { JobStage, JobType } from "../jobs/job.ts";

/**
 * `working`: a worker holds it; `paused`: it waits before it is retried; `waiting`: the next worker may claim it.
 */
export const queueStates = ["waiting", "working", "paused"] as const;
export type QueuePlace = (typeof queueStates)[number];

/** Unfinished jobs of all workspaces with the same type, stage and state. */
export interface QueueGroup {
  readonly type: JobType;
  readonly stage: JobStage;
  readonly state: QueuePlace;
  readonly count: number;
  /**
   * Age of the job that has not changed for the longest: since its last progress, or since its creation if none has
   * claimed it.
   */
  readonly ageMs: number;
}

export interface QueueState {
  readonly groups: readonly QueueGroup[];
  /** Worker processes that hold jobs. */
  readonly workers: number;
}

/** An unfinished job as its operator sees it, without any content of its document. */
export interface QueuedJob {
  readonly id: JobId;
  readonly workspaceId: WorkspaceId;
  readonly type: JobType;
  readonly stage: JobStage;
  readonly state: QueuePlace;
  readonly pagesDone: number;
  /** 0 until the document has been opened. */
  readonly pagesTotal: number;
  /** How often it was given back after a failure. */
  readonly tries: number;
  /** Identifies the process that works on it; null if none does. */
  readonly worker: string | null;
  /** Time since its creation. */
  readonly ageMs: number;
  /** As in `QueueGroup.ageMs`. */
  readonly unchangedMs: number;
}

/** The operator's view of the queue, by the store's clock. */
export interface QueueView {
  /** Counts unfinished jobs. At most `maxJobs` rows are read; the rest of a longer queue is not counted. */
  queue(maxJobs: number): Promise<QueueState>;
  /** The oldest unfinished jobs, among at most `maxJobs`. */
  longestQueued(bounds: { readonly limit: number; readonly maxJobs: number }): Promise<readonly QueuedJob[]>;
}
