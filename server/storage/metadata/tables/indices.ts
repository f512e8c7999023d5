import type { ColumnType } from "kysely";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";

/** A model pack: the one in use, or one that is not retired yet. */
export interface PackTable {
  /** `id@version`. */
  id: string;
  /** Where to find its folder, see ports/packs.ts. */
  model: string;
  manifest: string;
  /** 1 for the pack in use, 0 for all others. */
  isInUse: number;
  /** Whether the tables of the pack are being removed; see `leaving` in `indices/packs.ts`. */
  isLeaving: number;
  /** When the pack was last put to use. */
  usedAt: number;
}

/** The index of a dataset in one pack. */
export interface IndexTable {
  datasetId: DatasetId;
  pack: string;
  workspaceId: WorkspaceId;
  /**
   * `served`: searches use the index. `making`: searches will use it once it is complete. `stale`: it will be removed.
   */
  role: "served" | "making" | "stale";
  /** Why the index could not be made; null if it has not failed. */
  failure: string | null;
  /** Identifies the rows of the index in the vector store. */
  generation: string;
  /** Time from which the vectors may be removed; null if they must stay. */
  removeAt: number | null;
  leaseOwner: string | null;
  claimToken: string | null;
  leaseUntil: number | null;
  /** Comma-separated numbers of the pages in progress; empty if there are none. */
  inFlight: string;
  /** Time before which the index is not claimed; null if it may be claimed at once. */
  retryAt: number | null;
  tries: number;
  /**
   * The rows to rebuild. `missing`: rows that are lost. `all`: all rows. `said`: the rows with the description of the
   * document. Null if the index is complete.
   */
  rebuild: "missing" | "all" | "said" | null;
}

/** An object of the blob store with the features of some pages of an index. */
export interface FeatureTable {
  datasetId: DatasetId;
  generation: string;
  /** Ascending within an index. If several parts have a page, the one with the highest number counts. */
  number: number;
  /** Key of the blob. */
  key: string;
  /** Page numbers as ranges, such as `1-200,204`. */
  pages: string;
  bytes: number;
  sha256: string;
  /** Name of the index table that has the rows of the part; empty if none has. */
  table: string;
}

/** A table of the search index: the rows of a workspace in a pack. */
export interface IndexTableTable {
  workspaceId: WorkspaceId;
  pack: string;
  name: string;
  unsyncedIn: string;
  version: number;
  writes: number;
  /** 1 if the table needs maintenance. */
  isDue: number;
  maintainedAt: number;
}

/** A page of an index that is being made. A page that is neither embedded nor failed is a suspect. */
export interface IndexPageTable {
  datasetId: DatasetId;
  pack: string;
  page: number;
  embeddedAt: number | null;
  failure: string | null;
  /** 1 if the page was in flight when the lease of a claim expired. */
  isSuspect: number;
  absentFrom: ColumnType<string, string | undefined>;
}
