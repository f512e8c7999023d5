import type { AuditEvent } from "../audit/event.ts";
import type { DatasetId, OrganisationId, WorkspaceId } from "../ids.ts";
import type { FeaturesOf, NewPart } from "./features.ts";
import type { Lease } from "./jobs.ts";
import type { PackRanking } from "./pack-ranking.ts";

/** A model pack that the service works with: the one in use, and those that datasets are still indexed with. */
export interface KnownPack {
  /** `id@version`. */
  readonly id: string;
  /** How its folder is found, on whatever machine: `builtin`, the id of an installed pack, or a path. */
  readonly model: string;
  /** Its `pack.json`, kept because the folder may be gone before the last dataset has left the pack. */
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

/** What a pack says of itself. */
export interface PackAbout {
  /** SPDX. */
  readonly licence: string;
  /** BCP 47. */
  readonly languages: readonly string[];
  readonly description: string;
  /** Of all its files. */
  readonly bytes: number;
  readonly spaces: readonly { readonly name: string; readonly kind: string; readonly dimensions: number | undefined }[];
}

/** The packs on this machine: the built-in one and the installed ones. */
export interface PackRegistry {
  /** The built-in one first, then by id; what cannot be read is left out. */
  list(): Promise<readonly InstalledPack[]>;
  /**
   * By `builtin`, `id@version`, or an installed pack's `id` alone, which means its highest version. Undefined if there is
   * none; throws with the reason if it is there but cannot be used.
   */
  find(name: string): Promise<InstalledPack | undefined>;
  /** What a pack says of itself and what searching needs of it, wherever its folder is. Throws if it cannot be read. */
  read(pack: Pick<KnownPack, "id" | "manifest">): { readonly about: PackAbout; readonly pack: PackRanking };
}

/** A pack to ask when a workspace is searched. */
export interface PackInScope {
  readonly pack: string;
  /** Of these it holds, or may hold, pages that do not count: they are not all there yet, or about to go. */
  readonly without: readonly DatasetId[];
}

/** How far a change of the pack has come. */
export interface ChangeProgress {
  /** Datasets that are indexed, and how many of them with the pack in use. */
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

/** Which packs there are, and which of them is in use. */
export interface PackStore {
  /** The one in use first. */
  list(): Promise<readonly KnownPack[]>;
  /**
   * Puts a pack to use: from now on datasets are indexed with it, and those of other packs are due to change. Indices that
   * are being made for another pack are abandoned; what failed with this one is tried again. "leaving": its tables are
   * just being removed, nothing is changed.
   */
  use(pack: Omit<KnownPack, "isInUse">, now: number, event?: AuditEvent): Promise<"in use" | "leaving">;
  /** Whether there are indices of which it is not known with which pack they were made. */
  hasUnnamed(): Promise<boolean>;
  /** The pack need not be one that is known otherwise. */
  nameUnnamed(pack: string): Promise<void>;
  /** One consistent view: each indexed dataset of the workspace is to be found in at least one of the packs. */
  inWorkspace(workspaceId: WorkspaceId): Promise<readonly PackInScope[]>;
  /** The index that a dataset is served from. */
  ofDataset(datasetId: DatasetId): Promise<IndexRef | undefined>;
  /** Of an organisation's datasets; of all when undefined. */
  progress(organisationId: OrganisationId | undefined): Promise<ChangeProgress>;
  /** A pack that is not in use and has no datasets any more; from now on it is leaving. */
  takeLeave(): Promise<string | undefined>;
  /** Nothing is left of the pack: forgets it, unless it has to leave again. */
  forget(pack: string): Promise<void>;
  /**
   * A run that had lost its claim may have written to the pack's tables after they were removed: where the pack has left, or is
   * leaving, it leaves again.
   */
  leaveAgain(pack: string): Promise<void>;
}

/** One claim on a dataset's index in one pack, to make or to remove it. */
export interface IndexLease {
  readonly datasetId: DatasetId;
  readonly pack: string;
  /** Names this claim and no other; never used again. */
  readonly token: string;
}

/**
 * An index of a dataset while it is made or serves: what it holds are the rows of its generation. A generation ends with
 * its index and is never reused, so that a late writer or remover of an ended one touches no other.
 */
export interface IndexRef {
  readonly pack: string;
  readonly generation: string;
}

/** Which rows of an index are to be made again. */
export type RebuildKind = "missing" | "all";

/**
 * The same; only the rows of what is said of the document, which has changed (`ChangedDataset.renewals`); or only the parts with
 * the features of its pages, which an earlier version has not kept.
 */
export type RenewalKind = RebuildKind | "said" | "features";

/** An index that a dataset is served from. */
export interface ServedIndex extends IndexRef {
  readonly datasetId: DatasetId;
  readonly workspaceId: WorkspaceId;
}

export interface ClaimedIndex extends IndexRef {
  readonly lease: IndexLease;
  readonly workspaceId: WorkspaceId;
  /** Pages that were in flight when the lease of an earlier claim ran out, ascending. */
  readonly suspects: readonly number[];
  /** How often it was given back because it failed for a reason that may pass. */
  readonly tries: number;
}

/** A page in an index that is being made. */
export interface PageMark {
  readonly page: number;
  /** Why the pack cannot embed the page; null when it has. */
  readonly failure: string | null;
  /** Spaces in which it has nothing; none when undefined. */
  readonly absentFrom?: readonly string[] | undefined;
}

/**
 * The indices of datasets: each dataset is served from one, and may have others beside it, which are being made for the
 * pack in use or are to be removed. Methods that take a lease do nothing and say so when it is lost.
 */
export interface IndexStore {
  /**
   * The index into which a job embeds the dataset's pages: the one that serves it, unless `afresh`; then, and if it has
   * none, a new one of the pack in use, and the vectors of all others are garbage. Undefined: the job's lease is lost.
   */
  begin(
    lease: Lease,
    dataset: { id: DatasetId; workspaceId: WorkspaceId },
    afresh: boolean,
    now: number,
  ): Promise<IndexRef | undefined>;
  /**
   * Takes a dataset that is served from another pack than the one in use, and is not being worked on. Workspaces take
   * turns. Pages that were in flight under a lost lease become suspects.
   */
  claim(owner: string, leaseMs: number, now: number): Promise<ClaimedIndex | undefined>;
  renew(lease: IndexLease, leaseMs: number): Promise<boolean>;
  setInFlight(lease: IndexLease, pages: readonly number[]): Promise<boolean>;
  /** Pages that the index which serves the dataset has, or has failed at, and this one has not; ascending. */
  unmarked(datasetId: DatasetId, pack: string): Promise<readonly number[]>;
  /** Pages that have been marked, failures included. */
  countMarked(datasetId: DatasetId, pack: string): Promise<{ readonly embedded: number; readonly failed: number }>;
  /** `part`: where the features of the marked pages are, which is listed in the same transaction. */
  mark(lease: IndexLease, marks: readonly PageMark[], now: number, part?: NewPart): Promise<boolean>;
  /**
   * From now on the dataset is served from this index; the one before is removed from `removeAt` on. One transaction.
   * It is to be filled again where its features are not all in the table of the index. "later": a job is at work on the dataset, or pages are unmarked; the lease is given back.
   */
  complete(lease: IndexLease, removeAt: number): Promise<"complete" | "later" | "lost">;
  /** The dataset stays with the pack that it has; what has been made is to be removed. */
  fail(lease: IndexLease, reason: string, now: number): Promise<boolean>;
  release(lease: IndexLease): Promise<void>;
  /** Gives it back, to be claimed again after so long. How many tries that makes; undefined: the lease is lost. */
  postpone(lease: IndexLease, afterMs: number): Promise<number | undefined>;
  /** Ends all leases of an owner at once: its process is known to be dead. */
  expireLeases(owner: string): Promise<void>;
  /**
   * Takes indices that are stale since `now` or earlier out of the tables, up to so many; their vectors are garbage from
   * then on. How many.
   */
  retireStale(now: number, limit: number): Promise<number>;
  /** Indices that datasets are served from in the pack, by dataset, those after the given one. */
  served(pack: string, after: DatasetId | undefined, limit: number): Promise<readonly ServedIndex[]>;
  /** Those indices of the datasets that serve them are to be filled again: with what is `missing`, or `all` of it. */
  rebuild(datasetIds: readonly DatasetId[], how: RebuildKind): Promise<void>;
  /** Served indices of which a part is in no table are to be filled again, unless they are already: earlier versions list such. How many. */
  enterUnlisted(): Promise<number>;
  /**
   * Served indices with embedded pages of which no features are kept have these made of an earlier version's index, unless they are
   * to be filled again already: versions before there were features have embedded them. Of `index` all pages are known not to be
   * kept, or any; without it those of which none is are looked for. How many.
   */
  enterUnkept(index?: FeaturesOf): Promise<number>;
  /** Takes an index that is to be filled again, or renewed, and is not being worked on; those with missing rows before those of which all are. */
  claimRebuild(owner: string, leaseMs: number): Promise<(ClaimedIndex & { readonly how: RenewalKind }) | undefined>;
  /** What became of pages that were embedded again; `part` as in `mark`. */
  markRebuilt(lease: IndexLease, marks: readonly PageMark[], part?: NewPart): Promise<boolean>;
  /** The index is whole again. */
  rebuilt(lease: IndexLease): Promise<boolean>;
  /** How many indices are to be filled again. */
  countRebuilds(): Promise<number>;
  /** Whether there may be something for `claimRebuild`. */
  hasRenewals(): Promise<boolean>;
  /** Datasets, up to so many, of which pages are missing from the index until workers have put them there. Only those given, if any are. */
  incomplete(
    scope: { readonly workspaceId: WorkspaceId; readonly datasetIds: readonly DatasetId[] | undefined },
    limit: number,
  ): Promise<readonly DatasetId[]>;
  /** The generations of which rows count or will count, of those datasets: served, being made, or just replaced. */
  generations(datasetIds: readonly DatasetId[]): Promise<readonly (IndexRef & { readonly datasetId: DatasetId })[]>;
}
