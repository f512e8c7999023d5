import type { AuditEvent } from "../audit/event.ts";
import type { Dataset, DatasetType } from "../datasets/dataset.ts";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../ids.ts";
import type { ItemRow } from "../items/item.ts";
import type { FetchStore, UploadStore } from "./uploads.ts";
import type { Job, JobProgress, JobStatus, PageFailure } from "../jobs/job.ts";
import type { AuditStore } from "./audit.ts";
import type { IdempotencyStore } from "./idempotency.ts";
import type { InvitationStore, MemberStore } from "./members.ts";
import type { OrganisationStore, PlanStore } from "./organisations.ts";
import type { IndexStore, PackStore } from "./packs.ts";
import type { UsageStore } from "./usage.ts";
import type { KeyStore, SigningKeyStore, WorkspaceStore } from "./workspaces.ts";

/**
 * The rows that drs keeps. One schema, one set of queries and one contract suite for every database.
 * Every write is one short transaction. Times are milliseconds since the epoch, UTC.
 */
export interface Metadata {
  readonly organisations: OrganisationStore;
  readonly plans: PlanStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly audit: AuditStore;
  readonly workspaces: WorkspaceStore;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeyStore;
  readonly datasets: DatasetStore;
  readonly uploads: UploadStore;
  readonly fetches: FetchStore;
  readonly jobs: JobStore;
  readonly pages: PageStore;
  readonly renditions: RenditionStore;
  readonly usage: UsageStore;
  readonly garbage: GarbageStore;
  readonly idempotency: IdempotencyStore;
  readonly packs: PackStore;
  readonly indices: IndexStore;
  /** Answers when the database does; throws when it does not. */
  ping(): Promise<void>;
  /** Ends the leases of processes of this host that have died without a word. */
  expireDead(): Promise<void>;
  /** Gives the disk back that removed rows held, beside other work; ends early when the signal fires. */
  reclaim(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface Page<Row> {
  /** How many rows match in all. */
  readonly total: number;
  readonly data: readonly Row[];
}

export interface SortKey<Property extends string> {
  readonly property: Property;
  readonly descending: boolean;
}

export const datasetSorts = ["createdAt", "updatedAt", "expiresAt", "fileName", "fileSize", "itemCount"] as const;
export type DatasetSort = (typeof datasetSorts)[number];

export interface DatasetQuery {
  readonly workspaceId: WorkspaceId;
  /** All types when empty. */
  readonly types: readonly DatasetType[];
  /** Hexadecimal, lower case; of any content when empty. */
  readonly sha256: readonly string[];
  /** Nulls last; the id breaks ties in the direction of the first key. */
  readonly sort: readonly SortKey<DatasetSort>[];
  readonly offset: number;
  readonly limit: number;
  /** Datasets that have expired by then are not there. */
  readonly now: number;
}

export interface DatasetStore {
  /**
   * Creates a dataset and the job that fills it in one transaction, and takes the dataset's original
   * (`originalKey`) off the garbage list. False, and nothing is done: the organisation's plan has no room for it.
   */
  create(dataset: Dataset, job: Job): Promise<boolean>;
  /** Undefined also for another workspace's, a deleted and an expired one. */
  get(workspaceId: WorkspaceId, id: DatasetId, now: number): Promise<Dataset | undefined>;
  /** Without a workspace: for share links, whose token is the credential, and for the worker. */
  getUnscoped(id: DatasetId, now: number): Promise<Dataset | undefined>;
  /** Those of the ids that `get` would find. */
  getMany(workspaceId: WorkspaceId, ids: readonly DatasetId[], now: number): Promise<readonly Dataset[]>;
  list(query: DatasetQuery): Promise<Page<Dataset>>;
  /** False: the lease is lost. */
  setItemCount(lease: Lease, id: DatasetId, itemCount: number, now: number): Promise<boolean>;
  /**
   * Enters the PDF that an Office document became, takes it off the garbage list, and puts the one before on it. Its bytes
   * count even where the plan has no room for them: its document has been accepted. False: the lease is lost.
   */
  setConverted(lease: Lease, id: DatasetId, converted: { key: string; size: number }, now: number): Promise<boolean>;
  /** Enters the size in bytes of a PDF that an earlier release has stored and not counted. */
  noteConverted(id: DatasetId, convertedSize: number): Promise<void>;
  /** Datasets of all workspaces by id, also expired ones, those after the given text. */
  all(after: string | undefined, limit: number): Promise<readonly Dataset[]>;
  /** Office documents of which that has not been entered, by id, those after the given one. */
  unconverted(after: DatasetId | undefined, limit: number): Promise<readonly DatasetId[]>;
  /**
   * Removes the dataset, with which nothing finds its pages any more, ends its unfinished jobs as cancelled, puts its pages,
   * original, renditions and vectors on the garbage list, and enters the event, in one transaction. Undefined if `get` would not find it.
   * `freedBytes`: what of it counted as stored, original and converted PDF.
   */
  delete(
    workspaceId: WorkspaceId,
    id: DatasetId,
    now: number,
    event: AuditEvent,
  ): Promise<{ readonly freedBytes: number } | undefined>;
  /** Removes up to so many datasets that have expired, as `delete` does, as acts of the service itself; how many. */
  deleteExpired(now: number, limit: number): Promise<number>;
}

export interface JobQuery {
  readonly workspaceId: WorkspaceId;
  /** All statuses when empty. */
  readonly statuses: readonly JobStatus[];
  readonly offset: number;
  readonly limit: number;
  /** Jobs that finished before then are not listed. */
  readonly finishedSince: number;
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
  readonly lease: Lease;
  /**
   * Pages that were in flight when an earlier claim ended without a word, ascending. Page 0 is the opening of the
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

export interface JobStore {
  /**
   * Creates a vectorize job for a stored dataset, unless one is unfinished ("running") or has succeeded ("done").
   * "gone" if the dataset does not exist.
   */
  createVectorize(job: Job): Promise<"created" | "running" | "done" | "gone">;
  /** The revisions of the jobs, of whatever workspace; those that there are not are left out. One look-up by key. */
  revisions(ids: readonly JobId[]): Promise<ReadonlyMap<JobId, number>>;
  get(workspaceId: WorkspaceId, id: JobId): Promise<Job | undefined>;
  /** Newest first. */
  list(query: JobQuery): Promise<Page<Job>>;
  /**
   * Ends an unfinished job as ERROR with `canceledAt`, and removes what it made, in one transaction: the dataset if the
   * job was creating it, as `DatasetStore.delete` does and with the event; otherwise what a vectorize job has indexed. A
   * finished job stays as it is. Undefined if the workspace has no such job.
   */
  cancel(
    workspaceId: WorkspaceId,
    id: JobId,
    end: { readonly statusText: string; readonly event: AuditEvent },
    now: number,
  ): Promise<Cancelled | undefined>;
  /**
   * Puts a finished job back into the queue, to run again under its dataset: one that ended in ERROR, or one that left
   * failed pages. "unfinished": it has not ended; "complete": nothing of it has failed; "gone": its dataset does not exist
   * any more; "superseded": another vectorize job of the dataset is unfinished or has succeeded. Undefined if the
   * workspace has no such job.
   */
  retry(
    workspaceId: WorkspaceId,
    id: JobId,
    now: number,
  ): Promise<Job | "unfinished" | "complete" | "gone" | "superseded" | undefined>;

  /**
   * Forgets the PDF that the document of a dataset became, and has its last finished job make it again. False: there is no
   * such job, or one is unfinished, which will find out itself.
   */
  reconvert(datasetId: DatasetId, now: number): Promise<boolean>;
  /** NOT_STARTED becomes IN_QUEUE: a worker has seen the jobs. */
  markSeen(now: number): Promise<void>;
  /** Takes jobs off the list for good that finished before then, unless they run again. */
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
  /** Unfinished jobs, for readiness and metrics. */
  countUnfinished(): Promise<number>;
}

/** What reading a page left behind. */
export interface PageRecord {
  readonly page: number;
  /** Points (1/72 inch), as shown: after rotation. 0 when the page failed. */
  readonly width: number;
  readonly height: number;
  /** Plain text in reading order as the document stores it; empty for a scan and for a failed page. */
  readonly words: string;
  /** Why the page cannot be read; null when it can. */
  readonly failure: string | null;
}

export const itemSorts = ["createdAt", "col", "row"] as const;
export type ItemSort = (typeof itemSorts)[number];

/** Both ends included. */
export interface PageRange {
  readonly from: number;
  readonly to: number;
}

export interface ItemQuery {
  readonly datasetId: DatasetId;
  /** All rows when undefined. */
  readonly row: ItemRow | undefined;
  /** A page matches if one of the ranges has it; all pages when undefined. */
  readonly ranges: readonly PageRange[] | undefined;
  /** Page, then row (as the item id sorts) break ties, ascending. */
  readonly sort: readonly SortKey<ItemSort>[];
  readonly offset: number;
  readonly limit: number;
}

export interface ItemRecord {
  readonly page: number;
  readonly row: ItemRow;
  readonly createdAt: number;
}

/** Spaces in which pages have nothing, by page; a page that is not named has a row in every space. */
export type Absences = ReadonlyMap<number, readonly string[]>;

export interface EmbeddedPage {
  readonly page: number;
  /** Spaces in which it has nothing, and so no row. */
  readonly absentFrom: readonly string[];
}

/**
 * A page without failure has a pdf and a jpg item; once it has been embedded, and as long as its dataset has an index that
 * serves it, also an embedding_image item.
 */
export interface PageStore {
  /** Page numbers that have been saved, failed ones included, ascending. */
  finished(datasetId: DatasetId): Promise<readonly number[]>;
  /** Page numbers that were read without failure, ascending. */
  readable(datasetId: DatasetId): Promise<readonly number[]>;
  /** Pages that have been embedded, ascending. */
  embedded(datasetId: DatasetId): Promise<readonly EmbeddedPage[]>;
  /** Page numbers that were read without failure and have not been embedded, ascending. */
  unembedded(datasetId: DatasetId): Promise<readonly number[]>;
  /** Saves pages; a page saved before is replaced. Words are kept compressed. False: the lease is lost, nothing saved. */
  save(lease: Lease, datasetId: DatasetId, pages: readonly PageRecord[], now: number): Promise<boolean>;
  markEmbedded(
    lease: Lease,
    datasetId: DatasetId,
    pages: readonly number[],
    now: number,
    absentFrom?: Absences,
  ): Promise<boolean>;
  /**
   * Pages that can be read but not embedded or rendered, with the reason: listed in `failures`; their items stay. Those
   * of the stage "embed" are no longer in `unembedded`.
   */
  noteFailures(
    lease: Lease,
    datasetId: DatasetId,
    stage: "embed" | "render",
    failures: readonly PageFailure[],
    now: number,
  ): Promise<boolean>;
  /** Takes the marks of embedding, done or failed, off all pages: their vectors do not count any more. */
  clearEmbedded(lease: Lease, datasetId: DatasetId): Promise<boolean>;
  /** Forgets what failed, of every stage: failed pages are to be worked on again. */
  clearFailures(lease: Lease, datasetId: DatasetId): Promise<boolean>;
  /** The stored words of the given pages. */
  words(datasetId: DatasetId, pages: readonly number[]): Promise<ReadonlyMap<number, string>>;
  failures(datasetIds: readonly DatasetId[]): Promise<ReadonlyMap<DatasetId, readonly PageFailure[]>>;
  listItems(query: ItemQuery): Promise<Page<ItemRecord>>;
  /** Undefined if the page does not exist, has failed, or lacks the row. */
  getItem(datasetId: DatasetId, page: number, row: ItemRow): Promise<ItemRecord | undefined>;
  /** Those of the pages that have the row; for search results. */
  getItems(
    refs: readonly { readonly datasetId: DatasetId; readonly page: number }[],
    row: ItemRow,
  ): Promise<readonly (ItemRecord & { readonly datasetId: DatasetId })[]>;
}

/** The books of the rendition cache: which blobs it holds, how large, last used when. */
export interface RenditionStore {
  totalBytes(): Promise<number>;
  /**
   * Entered before the blob is written, so that a crash leaves no blob that is not in the books. False, and nothing
   * entered, if the dataset is gone.
   */
  put(key: string, datasetId: DatasetId, size: number, now: number): Promise<boolean>;
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
  /** The entries used longest ago, oldest first. */
  oldest(limit: number): Promise<readonly { readonly key: string; readonly size: number }[]>;
  remove(keys: readonly string[]): Promise<void>;
}

/** Something that is to be removed, outside the database or of so many rows that they are removed by and by. */
export type Garbage =
  | RowGarbage
  /** One blob: also an upload that has not become a dataset, and a part that belongs to no session. */
  | { readonly kind: "blob"; readonly key: string }
  /** All cached renditions of a dataset. */
  | { readonly kind: "renditions"; readonly key: DatasetId }
  /** The vectors of a generation of a dataset's index, in every space; all vectors of the dataset when undefined. */
  | { readonly kind: "vectors"; readonly key: DatasetId; readonly generation?: string };

/** Rows that nothing finds any more. */
export type RowGarbage =
  /** Pages of a dataset that is gone, and all else that is kept by its pages. */
  | { readonly kind: "rows"; readonly key: DatasetId }
  /** Parts of an upload that is over, with their bytes. */
  | { readonly kind: "parts"; readonly key: UploadKey };

/** Makes removals outside the database survive a crash: entered first, done later, crossed out last. */
export interface GarbageStore {
  /**
   * `notBefore`: it is not removed earlier; an upload in progress enters its blob with a time far enough ahead. `lease`: the
   * claim that is writing it.
   */
  add(garbage: readonly Garbage[], notBefore: number, lease?: Pick<Lease, "token">): Promise<void>;
  due(now: number, limit: number): Promise<readonly Garbage[]>;
  /** Those of the blob keys that belong to nothing, and are not on the list either. */
  ownerless(keys: readonly string[]): Promise<readonly string[]>;
  /** Lets it wait until then, if it is still on the list. */
  postpone(garbage: Garbage, notBefore: number): Promise<void>;
  /** Crosses it out; with `notBefore` only if it has not been entered again since with another time. */
  done(garbage: Garbage, notBefore?: number): Promise<void>;
  /** Removes some of the rows, in one transaction of some milliseconds. True: none is left. */
  removeRows(garbage: RowGarbage, now: number): Promise<boolean>;
  /**
   * Makes everything due but what a claim is writing that still holds: when the server starts on an embedded store,
   * nothing else is at work.
   */
  expireAll(): Promise<void>;
}
