import type { ColumnType } from "kysely";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";

/** A model pack: the one in use, and those that are not gone yet. */
export interface PackTable {
  /** `id@version`. */
  id: string;
  /** How its folder is found, see ports/packs.ts. */
  model: string;
  manifest: string;
  /** 1 for the pack in use, 0 for all others. */
  isInUse: number;
  /** 1 while its tables are being removed. */
  isLeaving: number;
  /** When it was last put to use. */
  usedAt: number;
}

/** The index of a dataset in one pack. */
export interface IndexTable {
  datasetId: DatasetId;
  pack: string;
  workspaceId: WorkspaceId;
  /** `served`: searches go to it; `making`: they will once it is complete; `stale`: it is about to go. */
  role: "served" | "making" | "stale";
  /** Why it could not be made. */
  failure: string | null;
  /** Which rows of the vector store are its. */
  generation: string;
  /** From when on its vectors are to be removed; null: they are not. */
  removeAt: number | null;
  leaseOwner: string | null;
  claimToken: string | null;
  leaseUntil: number | null;
  /** Page numbers, comma-separated; empty when none is being worked on. */
  inFlight: string;
  /** Not claimed before; null: it may be at once. */
  retryAt: number | null;
  tries: number;
  /**
   * `missing`: rows of it are lost, and are to be made again; `all`: so are those that are there; `said`: those of what is said
   * of the document are to be made anew; `features`: those of its pages are in no part yet. Null: it is whole.
   */
  rebuild: "missing" | "all" | "said" | "features" | null;
}

/** An object of the blob store with the features of some pages of an index. */
export interface FeatureTable {
  datasetId: DatasetId;
  generation: string;
  /** Counts up within an index; of a page that several have, the highest counts. */
  number: number;
  /** Of the blob. */
  key: string;
  /** Such as `1-200,204`. */
  pages: string;
  bytes: number;
  sha256: string;
  /** Name of the table of the index that has it; empty: none. */
  table: string;
}

/** A table of the index: the rows of a workspace in a pack. */
export interface IndexTableTable {
  workspaceId: WorkspaceId;
  pack: string;
  name: string;
  unsyncedIn: string;
  version: number;
  writes: number;
  /** 1: it is to be maintained. */
  isDue: number;
  maintainedAt: number;
}

/** A page of an index that is being made; neither embedded nor failed: it is a suspect. */
export interface IndexPageTable {
  datasetId: DatasetId;
  pack: string;
  page: number;
  embeddedAt: number | null;
  failure: string | null;
  /** 1: it was in flight when the lease of a claim ran out. */
  isSuspect: number;
  absentFrom: ColumnType<string, string | undefined>;
}
