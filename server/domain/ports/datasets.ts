import type { AuditEvent } from "../audit/event.ts";
import type { Dataset, DatasetType, IsTarget } from "../datasets/dataset.ts";
import type { DocumentProperties, DocumentWarning } from "../documents/properties.ts";
import type { Filter } from "../filters/filter.ts";
import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { Job } from "../jobs/job.ts";
import type { FeaturePart } from "./features.ts";
import type { Lease } from "./jobs.ts";
import type { ListResult, SortKey } from "../list.ts";
import type { IndexLease, IndexRef } from "./packs.ts";
import type { StoredPage } from "./pages.ts";

export const datasetSorts = ["createdAt", "updatedAt", "expiresAt", "fileName", "fileSize", "itemCount"] as const;
export type DatasetSort = (typeof datasetSorts)[number];

export interface DatasetQuery {
  readonly workspaceId: WorkspaceId;
  /** Empty for all types. */
  readonly types: readonly DatasetType[];
  /** Hexadecimal, lower case; empty for any content. */
  readonly sha256: readonly string[];
  /** Filter on their metadata; undefined for all. */
  readonly filter?: Filter | undefined;
  /** Lower case, without a dot; empty or undefined for every format. */
  readonly fileExts?: readonly string[];
  /** True for datasets that searches find, false for all others; undefined for both. */
  readonly isSearchable?: boolean | undefined;
  /** Nulls last; the id breaks ties in the direction of the first key. */
  readonly sort: readonly SortKey<DatasetSort>[];
  readonly offset: number;
  readonly limit: number;
  /** Datasets that have expired at this time are left out. */
  readonly now: number;
}

/** Selects datasets by their metadata and format. */
export interface DatasetIdQuery {
  readonly workspaceId: WorkspaceId;
  /** Undefined for all. */
  readonly filter: Filter | undefined;
  /** Lower case, without a dot; empty or undefined for every format. */
  readonly fileExts?: readonly string[];
  /** Only these datasets; undefined for all. */
  readonly among?: readonly DatasetId[];
  readonly limit: number;
  /** Datasets that have expired at this time are left out. */
  readonly now: number;
}

/** The fields of a dataset that can be changed. */
export type DatasetChange = Partial<Pick<Dataset, "fileName" | "metadata" | "expiresAt">>;

/** A dataset from another server, with all that belongs to it. */
export interface ImportedDataset {
  readonly dataset: Dataset;
  /** Finished, or yet to be processed. */
  readonly job: Job;
  /** Number of pages that have been put. */
  readonly pages: number;
  /** The index that will serve the dataset, which workers build from these parts; undefined if it has none. */
  readonly index: (IndexRef & { readonly parts: readonly FeaturePart[] }) | undefined;
}

/** Imports datasets from another server. */
export interface ImportStore {
  /**
   * Stores pages of a dataset that is not imported yet; no read finds them before it is. Until then they are on the
   * garbage list, as `{kind: "rows"}`, if the caller has added them.
   */
  putPages(datasetId: DatasetId, pages: readonly StoredPage[]): Promise<void>;
  /**
   * Stores the dataset and takes what belongs to it off the garbage list, in one transaction. "taken": a dataset or
   * a job of that id exists; "over quota": the organisation's plan has no room for it; "pages lost": fewer pages
   * are left than were put, because they were removed as garbage.
   */
  complete(imported: ImportedDataset): Promise<"imported" | "taken" | "over quota" | "pages lost">;
}

/** A dataset after a change. */
export interface ChangedDataset {
  readonly dataset: Dataset;
  /** Its new version that is being read and gets the same metadata; undefined if there is none. */
  readonly pending: Dataset | undefined;
  /**
   * Claims for updating the searchable description in the indices of both versions; empty if name and metadata have
   * not changed. The caller ends them with `IndexStore.rebuilt`. If it does not, workers may take them over after
   * some seconds; a later change takes them over at once.
   */
  readonly renewals: readonly IndexLease[];
}

/** The audit entry of a new version and the check that applies to its dataset. */
export interface Replacement {
  readonly event: AuditEvent;
  /** Undefined if any dataset may be replaced. */
  readonly isTarget: IsTarget | undefined;
}

/** The outcome of creating a new version. */
export type VersionOutcome = "created" | "gone" | "pending" | "busy";

export interface DatasetStore {
  /**
   * Creates a dataset and the job that fills it in one transaction, and takes the dataset's original
   * (`originalKey`) off the garbage list. Returns false and does nothing if the organisation's plan has no room for
   * it.
   */
  create(dataset: Dataset, job: Job): Promise<boolean>;
  /**
   * Creates a new version of a document (`versionOf`) in the same way, with the metadata of the dataset. Only its job
   * sees it until the job has succeeded; then it takes the place of the previous version, under the public id and
   * with all its other properties, and the previous version becomes garbage. If the job ends in any other way, the
   * new version becomes garbage. The given event is logged at the creation, and an event of the service when the new
   * version takes its place. "gone": there is no such dataset, or `isTarget` rejects it; "pending": a new version is
   * being read already; "busy": a job of the dataset is unfinished.
   */
  createVersion(dataset: Dataset, job: Job, replacement: Replacement): Promise<VersionOutcome | "over quota">;
  /**
   * Finds the dataset by its public id (`publicId`) or by the id of its current version. Undefined also for a
   * dataset of another workspace, a deleted or expired one, and a new version that is being read.
   */
  get(workspaceId: WorkspaceId, id: DatasetId, now: number): Promise<Dataset | undefined>;
  /**
   * Finds the version with this id, in any workspace: for share links, whose token is the credential, and for the
   * worker.
   */
  getUnscoped(id: DatasetId, now: number): Promise<Dataset | undefined>;
  /** The datasets that `get` would find by these ids, each once. */
  getMany(workspaceId: WorkspaceId, ids: readonly DatasetId[], now: number): Promise<readonly Dataset[]>;
  list(query: DatasetQuery): Promise<ListResult<Dataset>>;
  /** The versions among these whose pages searches find. */
  searchable(ids: readonly DatasetId[]): Promise<ReadonlySet<DatasetId>>;
  /** In no order. */
  ids(query: DatasetIdQuery): Promise<readonly DatasetId[]>;
  /**
   * Changes a dataset as `change` decides from its locked row; if `change` throws, the transaction is rolled back.
   * A new version that is being read gets the same metadata. Undefined if `get` would not find the dataset.
   */
  update(
    workspaceId: WorkspaceId,
    id: DatasetId,
    change: (dataset: Dataset) => DatasetChange,
    now: number,
  ): Promise<ChangedDataset | undefined>;
  /** Whether a dataset of the workspace that is a new version of another has changed at or after `since`. */
  isReplacedSince(workspaceId: WorkspaceId, since: number): Promise<boolean>;
  /** False if the lease is lost. */
  setItemCount(lease: Lease, id: DatasetId, itemCount: number, now: number): Promise<boolean>;
  /** Stores the properties from the document's file. False if the lease is lost. */
  setProperties(lease: Lease, id: DatasetId, properties: DocumentProperties): Promise<boolean>;
  /** Replaces the warnings about content that the pages do not show as it is. False if the lease is lost. */
  setWarnings(lease: Lease, id: DatasetId, warnings: readonly DocumentWarning[]): Promise<boolean>;
  /** The warnings of these versions; versions without known warnings are left out. */
  warnings(ids: readonly DatasetId[]): Promise<ReadonlyMap<DatasetId, readonly DocumentWarning[]>>;
  /**
   * Records the converted PDF of an Office document, takes it off the garbage list, and puts the previous one on
   * it. Its bytes count even if the plan has no room for them, because the document has been accepted. False if the
   * lease is lost.
   */
  setConverted(lease: Lease, id: DatasetId, converted: { key: string; size: number }, now: number): Promise<boolean>;
  /** Datasets of all workspaces, expired ones included, ordered by id, after the given one. */
  all(after: DatasetId | undefined, limit: number): Promise<readonly Dataset[]>;
  /**
   * Deletes the dataset in one transaction: its pages can no longer be found, its unfinished jobs end as cancelled,
   * its pages, original, renditions and vectors go on the garbage list, and the event is logged. Undefined if `get`
   * would not find it or `isTarget` rejects it. `freedBytes` is what counted as stored: original and converted PDF.
   */
  delete(
    workspaceId: WorkspaceId,
    id: DatasetId,
    now: number,
    event: AuditEvent,
    isTarget?: IsTarget,
  ): Promise<{ readonly freedBytes: number } | undefined>;
  /**
   * Deletes up to `limit` expired datasets as `delete` does, as acts of the service itself; returns their number.
   */
  deleteExpired(now: number, limit: number): Promise<number>;
}
