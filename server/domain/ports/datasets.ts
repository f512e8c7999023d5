import type { AuditEvent } from "../audit/event.ts";
import type { Dataset, DatasetType, IsMeant } from "../datasets/dataset.ts";
import type { DocumentProperties } from "../documents/properties.ts";
import type { DocumentWarning } from "../documents/warning.ts";
import type { Filter } from "../filters/filter.ts";
import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { Job } from "../jobs/job.ts";
import type { FeaturePart } from "./features.ts";
import type { Lease } from "./jobs.ts";
import type { ListResult, SortKey } from "./list.ts";
import type { IndexLease, IndexRef } from "./packs.ts";
import type { StoredPage } from "./pages.ts";

export const datasetSorts = ["createdAt", "updatedAt", "expiresAt", "fileName", "fileSize", "itemCount"] as const;
export type DatasetSort = (typeof datasetSorts)[number];

export interface DatasetQuery {
  readonly workspaceId: WorkspaceId;
  /** All types when empty. */
  readonly types: readonly DatasetType[];
  /** Hexadecimal, lower case; of any content when empty. */
  readonly sha256: readonly string[];
  /** Those whose metadata passes it; all when undefined. */
  readonly filter?: Filter | undefined;
  /** Lower case, without a dot; of every format when empty or undefined. */
  readonly fileExts?: readonly string[];
  /** Those of which searches find pages, or those of which they find none; all when undefined. */
  readonly isSearchable?: boolean | undefined;
  /** Nulls last; the id breaks ties in the direction of the first key. */
  readonly sort: readonly SortKey<DatasetSort>[];
  readonly offset: number;
  readonly limit: number;
  /** Datasets that have expired by then are not there. */
  readonly now: number;
}

/** Datasets by their metadata and format alone. */
export interface DatasetIdQuery {
  readonly workspaceId: WorkspaceId;
  /** All when undefined. */
  readonly filter: Filter | undefined;
  /** Lower case, without a dot; of every format when empty or undefined. */
  readonly fileExts?: readonly string[];
  /** Only of these; of all when undefined. */
  readonly among?: readonly DatasetId[];
  readonly limit: number;
  /** Datasets that have expired by then are not there. */
  readonly now: number;
}

/** What may change of a dataset. */
export type DatasetChange = Partial<Pick<Dataset, "fileName" | "metadata" | "expiresAt">>;

/** A dataset that comes from another server, with all that belongs to it. */
export interface ImportedDataset {
  readonly dataset: Dataset;
  /** Finished, or still to be worked on. */
  readonly job: Job;
  /** How many pages have been put. */
  readonly pages: number;
  /** The index that is to serve it, which workers make of these parts; undefined: it has none. */
  readonly index: (IndexRef & { readonly parts: readonly FeaturePart[] }) | undefined;
}

/** Datasets that come from another server. */
export interface ImportStore {
  /**
   * Puts pages of a dataset that is not there yet; nothing finds them before it is. They are on the garbage list until
   * then, as `{kind: "rows"}`, where the caller has entered them.
   */
  putPages(datasetId: DatasetId, pages: readonly StoredPage[]): Promise<void>;
  /**
   * Enters the dataset and takes what belongs to it off the garbage list, in one transaction. "taken": there is a dataset
   * or a job of that id; "over quota": the organisation's plan has no room for it; "pages lost": there are fewer than were
   * put, because they were taken for garbage.
   */
  complete(imported: ImportedDataset): Promise<"imported" | "taken" | "over quota" | "pages lost">;
}

/** A dataset as a change has left it. */
export interface ChangedDataset {
  readonly dataset: Dataset;
  /** The new version of it that is being read, which has its metadata; undefined: there is none. */
  readonly pending: Dataset | undefined;
  /**
   * Claims on the indices of both in which they are to be found by what is said of them now: for the caller, who ends them
   * with `IndexStore.rebuilt`, and after some seconds for workers. A later change takes them away. None if name and metadata
   * are as they were.
   */
  readonly renewals: readonly IndexLease[];
}

/** That somebody gives a dataset a new version. */
export interface Replacement {
  readonly event: AuditEvent;
  /** Undefined: whatever it is. */
  readonly isMeant: IsMeant | undefined;
}

/** What became of a new version. */
export type VersionOutcome = "created" | "gone" | "pending" | "at work";

export interface DatasetStore {
  /**
   * Creates a dataset and the job that fills it in one transaction, and takes the dataset's original
   * (`originalKey`) off the garbage list. False, and nothing is done: the organisation's plan has no room for it.
   */
  create(dataset: Dataset, job: Job): Promise<boolean>;
  /**
   * The same of a new version of a document (`versionOf`), which nothing but its job sees until that has succeeded: then the
   * dataset has it, under the id and with all else that it had, and the version before is garbage. If its job ends in another
   * way, it is. Its metadata is the dataset's. The event is entered if it is created, and one of the service when it takes its
   * place. "gone": there is no such dataset, or it is not meant; "pending": a new version of it is being read; "at work": a job of it is
   * unfinished.
   */
  createVersion(dataset: Dataset, job: Job, replacement: Replacement): Promise<VersionOutcome | "over quota">;
  /**
   * The dataset that callers know by this id, or whose version has it (`publicId`). Undefined also for another workspace's, a
   * deleted and an expired one, and for a new version that is being read.
   */
  get(workspaceId: WorkspaceId, id: DatasetId, now: number): Promise<Dataset | undefined>;
  /**
   * The version that has this id, without a workspace: for share links, whose token is the credential, and for the worker.
   */
  getUnscoped(id: DatasetId, now: number): Promise<Dataset | undefined>;
  /** Those of the ids that `get` would find, each once. */
  getMany(workspaceId: WorkspaceId, ids: readonly DatasetId[], now: number): Promise<readonly Dataset[]>;
  list(query: DatasetQuery): Promise<ListResult<Dataset>>;
  /** Those of the versions of which searches find pages. */
  searchable(ids: readonly DatasetId[]): Promise<ReadonlySet<DatasetId>>;
  /** In no order. */
  ids(query: DatasetIdQuery): Promise<readonly DatasetId[]>;
  /**
   * Changes a dataset by what is known of it in the transaction that does so; what `change` throws undoes it. A new version
   * of it that is being read gets its metadata at the same time. Undefined if `get` would not find it.
   */
  update(
    workspaceId: WorkspaceId,
    id: DatasetId,
    change: (dataset: Dataset) => DatasetChange,
    now: number,
  ): Promise<ChangedDataset | undefined>;
  /** Whether a dataset of the workspace that has had a new version has changed since then. */
  isReplacedSince(workspaceId: WorkspaceId, since: number): Promise<boolean>;
  /** False: the lease is lost. */
  setItemCount(lease: Lease, id: DatasetId, itemCount: number, now: number): Promise<boolean>;
  /** What its file says of the document. False: the lease is lost. */
  setProperties(lease: Lease, id: DatasetId, properties: DocumentProperties): Promise<boolean>;
  /** What its pages do not show as it is; those of before are forgotten. False: the lease is lost. */
  setWarnings(lease: Lease, id: DatasetId, warnings: readonly DocumentWarning[]): Promise<boolean>;
  /** The warnings of these versions; those of which none are known are left out. */
  warnings(ids: readonly DatasetId[]): Promise<ReadonlyMap<DatasetId, readonly DocumentWarning[]>>;
  /**
   * Enters the PDF that an Office document became, takes it off the garbage list, and puts the one before on it. Its bytes
   * count even where the plan has no room for them: its document has been accepted. False: the lease is lost.
   */
  setConverted(lease: Lease, id: DatasetId, converted: { key: string; size: number }, now: number): Promise<boolean>;
  /** Enters the size in bytes of a PDF that an earlier release has stored and not counted. */
  noteConverted(id: DatasetId, convertedSize: number): Promise<void>;
  /** Datasets of all workspaces by id, also expired ones, those after the given one. */
  all(after: DatasetId | undefined, limit: number): Promise<readonly Dataset[]>;
  /** Office documents of which that has not been entered, by id, those after the given one. */
  unconverted(after: DatasetId | undefined, limit: number): Promise<readonly DatasetId[]>;
  /**
   * Removes the dataset, with which nothing finds its pages any more, ends its unfinished jobs as cancelled, puts its pages,
   * original, renditions and vectors on the garbage list, and enters the event, in one transaction. Undefined if `get` would not find it,
   * or it is not meant. `freedBytes`: what of it counted as stored, original and converted PDF.
   */
  delete(
    workspaceId: WorkspaceId,
    id: DatasetId,
    now: number,
    event: AuditEvent,
    isMeant?: IsMeant,
  ): Promise<{ readonly freedBytes: number } | undefined>;
  /** Removes up to so many datasets that have expired, as `delete` does, as acts of the service itself; how many. */
  deleteExpired(now: number, limit: number): Promise<number>;
}
