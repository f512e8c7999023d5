import type { AuditEvent } from "../audit/event.ts";
import type { IsMeant } from "../datasets/dataset.ts";
import type { Filter } from "../filters/filter.ts";
import type { DatasetId, JobId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { Job, JobProgress, JobStatus } from "../jobs/job.ts";
import type { ListResult } from "./list.ts";
import type { QueueView } from "./queue.ts";

export interface JobQuery {
  readonly workspaceId: WorkspaceId;
  /** All statuses when empty. */
  readonly statuses: readonly JobStatus[];
  readonly offset: number;
  readonly limit: number;
  /** Jobs that finished before then are not listed. */
  readonly finishedSince: number;
  /** Only jobs of datasets whose metadata passes it; all when undefined. */
  readonly filter?: Filter | undefined;
}

/**
 * One claim on a job. Every method that takes it does nothing and says so once the claim is over: because the job has
 * ended, or has been claimed again, by whichever process.
 */
export interface Lease {
  readonly jobId: JobId;
  /** Names this claim and no other; never used again. */
  readonly token: string;
}

export interface ClaimedJob {
  readonly job: Job;
  readonly organisationId: OrganisationId;
  readonly lease: Lease;
  /**
   * Pages that were in flight when the lease of an earlier claim ran out, ascending. Page 0 is the opening of the
   * document. Any of them may have ended the process, so each is to be tried apart from everything else.
   */
  readonly suspects: readonly number[];
  /** How often it was given back because it failed for a reason that may pass. */
  readonly tries: number;
  /** Failed pages are to be tried again: `clearFailures` comes first. */
  readonly retriesFailures: boolean;
}

/** What became of a cancelled job. */
export interface Cancelled {
  /** False: the job had ended before, and nothing has changed. */
  readonly isCancelled: boolean;
  readonly job: Job;
}

/** A pause after which a job is claimed again. */
export interface Pause {
  /** Shown while it waits. */
  readonly statusText: string;
  readonly afterMs: number;
  /** Counts towards the tries of the job; false where it waits for something that will not fail it. */
  readonly isTry: boolean;
}

export interface JobStore extends QueueView {
  /**
   * Creates a vectorize job for a stored dataset, unless one is unfinished ("running") or has succeeded ("done").
   * "gone" if the dataset does not exist or is not meant; "replaced" while a new version of it is being read.
   */
  createVectorize(job: Job, isMeant?: IsMeant): Promise<"created" | "running" | "done" | "gone" | "replaced">;
  /** The revisions of the jobs, of whatever workspace; those that there are not are left out. One look-up by key. */
  revisions(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, number>>;
  get(workspaceId: WorkspaceId, id: JobId): Promise<Job | undefined>;
  /** Jobs of the datasets, of whatever workspace, that are unfinished or have succeeded, newest first. */
  standing(datasetIds: readonly DatasetId[]): Promise<readonly Job[]>;
  /** Newest first. */
  list(query: JobQuery): Promise<ListResult<Job>>;
  /**
   * Ends an unfinished job as ERROR with `canceledAt`, and removes what it made, in one transaction: the new version that it
   * was reading; the dataset if the job was creating it, as `DatasetStore.delete` does and with the event; otherwise what a vectorize job has indexed. A
   * finished job stays as it is. Undefined if the workspace has no such job, or its dataset is not meant.
   */
  cancel(
    workspaceId: WorkspaceId,
    id: JobId,
    end: { readonly statusText: string; readonly event: AuditEvent },
    now: number,
    isMeant?: IsMeant,
  ): Promise<Cancelled | undefined>;
  /**
   * Puts a finished job back into the queue, to run again under its dataset: one that ended in ERROR, or one that left
   * failed pages. "unfinished": it has not ended; "complete": nothing of it has failed; "gone": its dataset does not exist
   * any more; "superseded": another vectorize job of the dataset is unfinished or has succeeded. Undefined if the
   * workspace has no such job, or its dataset is not meant. From then on the job has this `traceparent`; default: none.
   */
  retry(
    workspaceId: WorkspaceId,
    id: JobId,
    now: number,
    traceparent?: string | null,
    isMeant?: IsMeant,
  ): Promise<Job | "unfinished" | "complete" | "gone" | "superseded" | undefined>;

  /**
   * Forgets the PDF that the document of a dataset became, and has its last finished job make it again. False: there is no
   * such job, or one is unfinished, which will find out itself.
   */
  reconvert(datasetId: DatasetId, now: number): Promise<boolean>;
  /** NOT_STARTED becomes IN_QUEUE: a worker has seen the jobs. */
  markSeen(now: number): Promise<void>;
  /**
   * Has new versions of documents take their places, or removes them, whose jobs have ended without doing so: a worker that
   * knows no versions, of an earlier version of drs, has worked on them. How many.
   */
  settleVersions(now: number): Promise<number>;
  /** Removes jobs that finished before then from lists for good, unless they run again. */
  unlist(finishedBefore: number): Promise<void>;
  /**
   * Takes the oldest job that is queued, or in progress with a lease that has run out, for a process; the lease lasts for
   * so long by the store's clock. Pages that were in flight under a lost lease become suspects.
   */
  claim(owner: string, leaseMs: number, now: number): Promise<ClaimedJob | undefined>;
  /** Lets the lease last for so long from now on. False: the job was cancelled or claimed again, so stop. */
  renew(lease: Lease, leaseMs: number): Promise<boolean>;
  /** False: the lease is lost. */
  setProgress(lease: Lease, progress: JobProgress, now: number): Promise<boolean>;
  /** Which pages are being worked on now, so that they are suspects should the process end. */
  setInFlight(lease: Lease, pages: readonly number[]): Promise<boolean>;
  /** An ERROR also removes the dataset if its document was still to be fetched, since nothing will ever fill it. */
  finish(lease: Lease, end: { status: "SUCCESS" | "ERROR"; statusText: string }, now: number): Promise<boolean>;
  /** Gives the job back for another worker to go on with; no page becomes a suspect. */
  release(lease: Lease): Promise<void>;
  /**
   * Gives the job back, to be claimed again after the pause. How many tries that makes; undefined: the lease is lost.
   */
  postpone(lease: Lease, pause: Pause, now: number): Promise<number | undefined>;
  /** Jobs that wait for something may be claimed at once: what they wait for has come. */
  endPauses(): Promise<void>;
  /** Ends all leases of an owner at once: its process is known to be dead. */
  expireLeases(owner: string): Promise<void>;
}
