import type { AuditEvent } from "../audit/event.ts";
import type { IsTarget } from "../datasets/dataset.ts";
import type { Filter } from "../filters/filter.ts";
import type { DatasetId, JobId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { Job, JobProgress, JobStage, JobStatus, JobType } from "../jobs/job.ts";
import type { ListResult } from "../list.ts";

export interface JobQuery {
  readonly workspaceId: WorkspaceId;
  /** Empty for all statuses. */
  readonly statuses: readonly JobStatus[];
  readonly offset: number;
  readonly limit: number;
  /** Jobs that finished before this time are left out. */
  readonly finishedSince: number;
  /** Only jobs of datasets whose metadata passes it; undefined for all. */
  readonly filter?: Filter | undefined;
}

/**
 * One claim on a job. Every method that takes it does nothing and reports so once the claim is over: because the
 * job has ended, or has been claimed again by any process.
 */
export interface Lease {
  readonly jobId: JobId;
  /** Unique to this claim; never used again. */
  readonly token: string;
}

export interface ClaimedJob {
  readonly job: Job;
  readonly organisationId: OrganisationId;
  readonly lease: Lease;
  /**
   * Pages that were in flight when the lease of an earlier claim expired, ascending. Page 0 is the opening of the
   * document. Any of them may have crashed the process, so each is retried in isolation.
   */
  readonly suspects: readonly number[];
  /** How often it was given back after a temporary failure. */
  readonly tries: number;
  /** If true, failed pages are retried: `clearFailures` comes first. */
  readonly retriesFailures: boolean;
}

/** The outcome of a cancellation. */
export interface Cancelled {
  /** False if the job had ended before; then nothing has changed. */
  readonly isCancelled: boolean;
  readonly job: Job;
}

/** A pause after which a job is claimed again. */
export interface Pause {
  /** Shown during the pause. */
  readonly statusText: string;
  readonly afterMs: number;
  /**
   * Whether the pause counts as one of the job's tries; false if the job only waits for something and must not fail
   * because of it.
   */
  readonly isTry: boolean;
}

export interface JobStore extends QueueView {
  /**
   * Creates a vectorize job for a stored dataset, unless one is unfinished ("running") or has succeeded ("done").
   * "gone" if the dataset does not exist or `isTarget` rejects it; "replaced" while a new version of it is being
   * read.
   */
  createVectorize(job: Job, isTarget?: IsTarget): Promise<"created" | "running" | "done" | "gone" | "replaced">;
  /** The revisions of the jobs, in any workspace; unknown jobs are left out. One look-up by key. */
  revisions(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, number>>;
  get(workspaceId: WorkspaceId, id: JobId): Promise<Job | undefined>;
  /** Jobs of the datasets, in any workspace, that are unfinished or have succeeded, newest first. */
  standing(datasetIds: readonly DatasetId[]): Promise<readonly Job[]>;
  /** Newest first. */
  list(query: JobQuery): Promise<ListResult<Job>>;
  /**
   * Ends an unfinished job as ERROR with `canceledAt`, and removes its results, in one transaction: the new version
   * that it was reading; the dataset if the job was creating it, as `DatasetStore.delete` does and with the event;
   * otherwise the pages that a vectorize job has indexed. A finished job stays as it is. Undefined if the workspace
   * has no such job, or `isTarget` rejects its dataset.
   */
  cancel(
    workspaceId: WorkspaceId,
    id: JobId,
    end: { readonly statusText: string; readonly event: AuditEvent },
    now: number,
    isTarget?: IsTarget,
  ): Promise<Cancelled | undefined>;
  /**
   * Puts a finished job back into the queue, to run again on its dataset: a job that ended in ERROR, or that left
   * failed pages. "unfinished": it has not ended; "complete": none of it has failed; "gone": its dataset no longer
   * exists; "superseded": another vectorize job of the dataset is unfinished or has succeeded. Undefined if the
   * workspace has no such job, or `isTarget` rejects its dataset. The job gets this `traceparent`; none by default.
   */
  retry(
    workspaceId: WorkspaceId,
    id: JobId,
    now: number,
    traceparent?: string | null,
    isTarget?: IsTarget,
  ): Promise<Job | "unfinished" | "complete" | "gone" | "superseded" | undefined>;

  /**
   * Forgets the converted PDF of a document, and has its last finished job convert it again. False if there is no
   * such job, or if a job is unfinished, which will notice the missing PDF itself.
   */
  reconvert(datasetId: DatasetId, now: number): Promise<boolean>;
  /** Moves jobs from NOT_STARTED to IN_QUEUE: a worker has seen them. */
  markSeen(now: number): Promise<void>;
  /** Removes jobs that finished before this time from lists for good, unless they run again. */
  unlist(finishedBefore: number): Promise<void>;
  /**
   * Claims for a process the oldest job that is queued, or in progress with an expired lease; the lease lasts
   * `leaseMs` by the store's clock. Pages that were in flight under an expired lease become suspects.
   */
  claim(owner: string, leaseMs: number, now: number): Promise<ClaimedJob | undefined>;
  /**
   * Extends the lease to `leaseMs` from now. False if the job was cancelled or claimed again; the caller has to
   * stop.
   */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** False if the lease is lost. */
  setProgress(lease: Lease, progress: JobProgress, now: number): Promise<boolean>;
  /** Records the pages that are being processed, which become suspects if the process dies. */
  setInFlight(lease: Lease, pages: readonly number[]): Promise<boolean>;
  /** An ERROR also removes the dataset if its document was never fetched, since nothing will ever fill it. */
  finish(lease: Lease, end: { status: "SUCCESS" | "ERROR"; statusText: string }, now: number): Promise<boolean>;
  /** Gives the job back for another worker to continue; no page becomes a suspect. */
  release(lease: Lease): Promise<void>;
  /**
   * Gives the job back, to be claimed again after the pause. Returns its number of tries so far; undefined if the
   * lease is lost.
   */
  postpone(lease: Lease, pause: Pause, now: number): Promise<number | undefined>;
  /** Ends all pauses: what the jobs wait for is available again. */
  endPauses(): Promise<void>;
  /** Ends all leases of a process that is known to be dead. */
  expireLeases(owner: string): Promise<void>;
}

/**
 * `working`: a worker holds it; `paused`: it waits before it is retried; `waiting`: the next worker may claim it.
 */
const queueStates = ["waiting", "working", "paused"] as const;
type QueuePlace = (typeof queueStates)[number];

/** Unfinished jobs of all workspaces with the same type, stage and state. */
export interface QueueGroup {
  readonly type: JobType;
  readonly stage: JobStage;
  readonly state: QueuePlace;
  readonly count: number;
  /**
   * How long the job that has not changed for the longest has been unchanged: since its last progress, or since its
   * creation if no worker has claimed it.
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
interface QueueView {
  /** Counts unfinished jobs. At most `maxJobs` rows are read; the rest of a longer queue is not counted. */
  queue(maxJobs: number): Promise<QueueState>;
  /** The oldest unfinished jobs, among at most `maxJobs`. */
  longestQueued(bounds: { readonly limit: number; readonly maxJobs: number }): Promise<readonly QueuedJob[]>;
}
