import type { JobId, WorkspaceId } from "../ids.ts";
import type { JobStage, JobType } from "../jobs/job.ts";

/** `working`: a worker holds it; `paused`: it waits before it is tried again; `waiting`: the next worker may claim it. */
export const queueStates = ["waiting", "working", "paused"] as const;
export type QueuePlace = (typeof queueStates)[number];

/** Unfinished jobs of all workspaces that are at the same point. */
export interface QueueGroup {
  readonly type: JobType;
  readonly stage: JobStage;
  readonly state: QueuePlace;
  readonly count: number;
  /** Of the one that has not changed for the longest: since its creation if none has claimed it, else its last progress. */
  readonly ageMs: number;
}

export interface QueueState {
  readonly groups: readonly QueueGroup[];
  /** Worker processes that hold jobs. */
  readonly workers: number;
}

/** An unfinished job as its operator sees it; nothing of its document. */
export interface QueuedJob {
  readonly id: JobId;
  readonly workspaceId: WorkspaceId;
  readonly type: JobType;
  readonly stage: JobStage;
  readonly state: QueuePlace;
  readonly pagesDone: number;
  /** 0 until the document has been opened. */
  readonly pagesTotal: number;
  /** How often it was given back because it failed. */
  readonly tries: number;
  /** Names the process that works on it; null: none. */
  readonly worker: string | null;
  /** Since its creation. */
  readonly ageMs: number;
  /** As in `QueueGroup.ageMs`. */
  readonly unchangedMs: number;
}

/** What operators see of the queue, by the store's clock. */
export interface QueueView {
  /** How much of what is unfinished. At most `maxJobs` rows are read: in a longer queue the others are not counted. */
  queue(maxJobs: number): Promise<QueueState>;
  /** The unfinished jobs that were created first, among at most `maxJobs`. */
  longestQueued(bounds: { readonly limit: number; readonly maxJobs: number }): Promise<readonly QueuedJob[]>;
}
