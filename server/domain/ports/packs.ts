import type { AuditEvent } from "../audit/event.ts";
import type { DatasetId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { NewPart } from "./features.ts";
import type { Lease } from "./jobs.ts";
import type { PackRanking } from "./pack-ranking.ts";

/** A model pack that the service works with: the one in use, or one that datasets are still indexed with. */
export interface KnownPack {
  /** `id@version`. */
  readonly id: string;
  /** Locates its folder, on any machine: `builtin`, the id of an installed pack, or a path. */
  readonly model: string;
  /** Its `pack.json`, stored because the folder may be gone before the last dataset has left the pack. */
  readonly manifest: string;
  readonly isInUse: boolean;
}

/** A pack whose files are on this machine. */
export interface InstalledPack {
  /** `id@version`. */
  readonly id: string;
  readonly model: string;
  readonly place: "builtin" | "installed" | "folder";
  /** Its `pack.json`. */
  readonly manifest: string;
  readonly about: PackAbout;
}

/** The description of a pack in its manifest. */
export interface PackAbout {
  /** SPDX. */
  readonly licence: string;
  /** BCP 47. */
  readonly languages: readonly string[];
  readonly description: string;
  /** Size of all its files. */
  readonly bytes: number;
  readonly spaces: readonly { readonly name: string; readonly kind: string; readonly dimensions: number | undefined }[];
}

/** The packs on this machine: the built-in one and the installed ones. */
export interface PackRegistry {
  /** The built-in pack first, then by id; unreadable packs are left out. */
  list(): Promise<readonly InstalledPack[]>;
  /**
   * Finds a pack by `builtin`, `id@version`, or an installed pack's `id` alone, which means its highest version.
   * Undefined if there is none; throws with the reason if it exists but cannot be used.
   */
  find(name: string): Promise<InstalledPack | undefined>;
  /**
   * Reads the description of a pack and its ranking settings, wherever its folder is. Throws if it cannot be read.
   */
  read(pack: Pick<KnownPack, "id" | "manifest">): { readonly about: PackAbout; readonly pack: PackRanking };
}

/** A pack to query when a workspace is searched. */
export interface PackInScope {
  readonly pack: string;
  /** Datasets whose pages in this pack do not count, because they are incomplete or about to be removed. */
  readonly without: readonly DatasetId[];
}

/** The progress of a change of packs. */
export interface ChangeProgress {
  /** Number of indexed datasets, and of those that are indexed with the pack in use. */
  readonly datasetsTotal: number;
  readonly datasetsDone: number;
  readonly pagesTotal: number;
  readonly pagesDone: number;
  /** Datasets by the pack that they are served from. */
  readonly datasetsByPack: ReadonlyMap<string, number>;
  /** Datasets that stay with their old pack; the first hundred. */
  readonly failures: readonly { readonly datasetId: DatasetId; readonly reason: string }[];
  readonly failed: number;
}

/** Stores the packs, and which of them is in use. */
export interface PackStore {
  /** The pack in use comes first. */
  list(): Promise<readonly KnownPack[]>;
  /**
   * Puts a pack to use: from now on datasets are indexed with it, and those of other packs are due to change. Indices
   * that are being built for another pack are abandoned; datasets that failed with this pack are retried. "leaving":
   * the pack's tables are being removed at this moment, so nothing is changed.
   */
  use(pack: Omit<KnownPack, "isInUse">, now: number, event?: AuditEvent): Promise<"in use" | "leaving">;
  /** Whether there are indices whose pack is not recorded. */
  hasUnnamed(): Promise<boolean>;
  /** Assigns these indices to a pack, which need not be a stored one. */
  nameUnnamed(pack: string): Promise<void>;
  /**
   * The packs in which the datasets of a workspace are indexed, as one consistent view: each indexed dataset is
   * found in at least one of them.
   */
  inWorkspace(workspaceId: WorkspaceId): Promise<readonly PackInScope[]>;
  /** The index that a dataset is served from. */
  ofDataset(datasetId: DatasetId): Promise<IndexRef | undefined>;
  /** Progress for an organisation's datasets; undefined for all. */
  progress(organisationId: OrganisationId | undefined): Promise<ChangeProgress>;
  /** Begins to retire a pack that is not in use and has no datasets any more, and returns it. */
  beginRetirement(): Promise<string | undefined>;
  /** Forgets a pack of which nothing is left, unless it has to be retired again. */
  forget(pack: string): Promise<void>;
  /**
   * Retires a pack again if it has been retired or is being retired: a run that had lost its claim may have written
   * to its tables after they were removed.
   */
  retryRetirement(pack: string): Promise<void>;
}

/** One claim on a dataset's index in one pack, to build or to remove it. */
export interface IndexLease {
  readonly datasetId: DatasetId;
  readonly pack: string;
  /** Unique to this claim; never used again. */
  readonly token: string;
}

/**
 * An index of a dataset while it is built or serves; it consists of the rows of its generation. A generation ends
 * with its index and is never reused, so a process that still writes or removes rows of an ended generation affects
 * no other.
 */
export interface IndexRef {
  readonly pack: string;
  readonly generation: string;
}

/** The rows of an index that are to be built again. */
export type RebuildKind = "missing" | "all";

/** `said` means only the rows of the document's description, which has changed (`ChangedDataset.renewals`). */
export type RenewalKind = RebuildKind | "said";

/** An index that a dataset is served from. */
export interface ServedIndex extends IndexRef {
  readonly datasetId: DatasetId;
  readonly workspaceId: WorkspaceId;
}

export interface ClaimedIndex extends IndexRef {
  readonly lease: IndexLease;
  readonly workspaceId: WorkspaceId;
  /** Pages that were in flight when the lease of an earlier claim expired, ascending. */
  readonly suspects: readonly number[];
  /** How often it was given back after a temporary failure. */
  readonly tries: number;
}

/** A page in an index that is being built. */
export interface PageMark {
  readonly page: number;
  /** Why the pack cannot embed the page; null if it has. */
  readonly failure: string | null;
  /** Spaces in which the page has no features; none if undefined. */
  readonly absentFrom?: readonly string[] | undefined;
}

/**
 * The indices of datasets. Each dataset is served from one, and may have others beside it, which are being built
 * for the pack in use or are to be removed. Methods that take a lease do nothing and report so once it is lost.
 */
export interface IndexStore {
  /**
   * Returns the index into which a job embeds the dataset's pages: the one that serves it, unless `afresh`. Then,
   * or if it has none, a new one of the pack in use is created, and the vectors of all others are garbage.
   * Undefined if the job's lease is lost.
   */
  begin(
    lease: Lease,
    dataset: { id: DatasetId; workspaceId: WorkspaceId },
    afresh: boolean,
    now: number,
  ): Promise<IndexRef | undefined>;
  /**
   * Claims a dataset that is served from another pack than the one in use and is not being processed. Workspaces
   * take turns. Pages that were in flight under an expired lease become suspects.
   */
  claim(owner: string, leaseMs: number, now: number): Promise<ClaimedIndex | undefined>;
  renew(lease: IndexLease, leaseMs: number): Promise<boolean>;
  setInFlight(lease: IndexLease, pages: readonly number[]): Promise<boolean>;
  /** Pages that the serving index has embedded or failed to embed and this index has not; ascending. */
  unmarked(datasetId: DatasetId, pack: string): Promise<readonly number[]>;
  /** Numbers of marked pages, failures included. */
  countMarked(datasetId: DatasetId, pack: string): Promise<{ readonly embedded: number; readonly failed: number }>;
  /** `part` has the features of the marked pages, and is listed in the same transaction. */
  mark(lease: IndexLease, marks: readonly PageMark[], now: number, part?: NewPart): Promise<boolean>;
  /**
   * Serves the dataset from this index from now on, in one transaction; the previous index may be removed from
   * `removeAt` on. This index is to be filled again if its features are not all in the table of the index. "later": a
   * job of the dataset is running, or pages are unmarked; the lease is given back.
   */
  complete(lease: IndexLease, removeAt: number): Promise<"complete" | "later" | "lost">;
  /** Leaves the dataset with its present pack; the new index is to be removed. */
  fail(lease: IndexLease, reason: string, now: number): Promise<boolean>;
  release(lease: IndexLease): Promise<void>;
  /**
   * Gives it back, to be claimed again after `afterMs`. Returns its number of tries so far; undefined if the lease
   * is lost.
   */
  postpone(lease: IndexLease, afterMs: number): Promise<number | undefined>;
  /** Ends all leases of a process that is known to be dead. */
  expireLeases(owner: string): Promise<void>;
  /**
   * Takes up to `limit` indices that are stale since `now` or earlier out of the tables; their vectors are garbage
   * from then on. Returns their number.
   */
  retireStale(now: number, limit: number): Promise<number>;
  /** Indices that datasets are served from in the pack, ordered by dataset, after the given one. */
  served(pack: string, after: DatasetId | undefined, limit: number): Promise<readonly ServedIndex[]>;
  /** Schedules the serving indices of the datasets to be filled again: only `missing` rows, or `all` of them. */
  rebuild(datasetIds: readonly DatasetId[], how: RebuildKind): Promise<void>;
  /**
   * Schedules served indices that have a part in no table to be filled again, unless they are scheduled already: a
   * restore or a move leaves such parts. Returns the number of these indices.
   */
  enterUnlisted(): Promise<number>;
  /**
   * Claims an index that is to be filled again, or renewed, and is not being processed; indices with missing rows
   * come before those that lack all.
   */
  claimRebuild(owner: string, leaseMs: number): Promise<(ClaimedIndex & { readonly how: RenewalKind }) | undefined>;
  /** Records the results of embedding pages again; `part` as in `mark`. */
  markRebuilt(lease: IndexLease, marks: readonly PageMark[], part?: NewPart): Promise<boolean>;
  /** The index is complete again. */
  rebuilt(lease: IndexLease): Promise<boolean>;
  /** Number of indices that are to be filled again. */
  countRebuilds(): Promise<number>;
  /** Whether `claimRebuild` may find an index. */
  hasRenewals(): Promise<boolean>;
  /**
   * Up to `limit` datasets with pages that are missing from the index until workers have put them there; only the
   * given ones, if any.
   */
  incomplete(
    scope: { readonly workspaceId: WorkspaceId; readonly datasetIds: readonly DatasetId[] | undefined },
    limit: number,
  ): Promise<readonly DatasetId[]>;
  /**
   * The generations of these datasets that count or will count in searches: served, being built, or just replaced.
   */
  generations(datasetIds: readonly DatasetId[]): Promise<readonly (IndexRef & { readonly datasetId: DatasetId })[]>;
}
