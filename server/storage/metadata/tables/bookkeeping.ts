import type { ColumnType } from "kysely";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../../../domain/ids.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";

export interface GarbageTable {
  kind: Garbage["kind"];
  key: string;
  notBefore: number;
  /** The claim that is writing it; null if there is none. */
  claimToken: string | null;
  /** For vectors, the workspace whose table of the index has them; null if not known. */
  workspaceId: WorkspaceId | null;
  pack: string | null;
}

/** A request with an idempotency key. It is in progress while `answer` is null and the hold lasts. */
export interface AttemptTable {
  workspaceId: WorkspaceId;
  method: string;
  keySha256: string;
  holder: string;
  heldUntil: number;
  expiresAt: number;
  /** The ids that the attempt uses for what it creates. */
  datasetId: DatasetId;
  jobId: JobId;
  uploadKey: UploadKey;
  /** Null until the whole request has been received. */
  bodySha256: string | null;
  bodyFileBytes: number | null;
  /** The message of the answer, encrypted if it contains a secret. */
  answer: ColumnType<Uint8Array | null>;
}

/** Counters, maintained by triggers on the tables they count; only to be read. A count is the sum over all shards. */
export interface TallyTable {
  /** A workspace or an organisation; `cache` for the bytes of all renditions. */
  owner: string;
  kind: TallyKind;
  name: string;
  shard: string;
  total: number;
}

/**
 * Datasets by type, searchable datasets by type, listed jobs by status, audit events by action, datasets and pages of
 * served indices by pack, and the bytes of renditions.
 */
export type TallyKind = "datasets" | "searchable" | "jobs" | "events" | "served" | "pages" | "bytes";

/** Maintained by triggers on `workspaces`, `datasets` and `uploads`; only to be read. Sizes are in bytes. */
export interface HoldingTable {
  workspaceId: WorkspaceId;
  /** The last letter of the id of the dataset or upload. */
  shard: string;
  originals: number;
  converted: number;
  parts: number;
  documents: number;
  pages: number;
}

/** Number of calls of a workspace in a month, such as `2026-11`, in UTC. */
export interface RequestCountTable {
  workspaceId: WorkspaceId;
  month: string;
  requests: number;
}

/**
 * The holdings of a workspace at the end of a day, such as `2026-11-22`, in UTC; for the current day, as of some
 * minutes ago.
 */
export interface DailyUsageTable {
  workspaceId: WorkspaceId;
  day: string;
  storedBytes: number;
  documents: number;
  pages: number;
}

/** A leader lease, which one process at a time holds. All times are the store's. */
export interface DutyTable {
  name: string;
  /** The run of the process that holds it; null if there is none. */
  holder: string | null;
  heldUntil: number;
  /** How often other processes have asked the holder to look. */
  requests: number;
}

/** A token bucket that several processes share. */
export interface RateBucketTable {
  id: string;
  /** Thousandths of a request that may still be granted, as of `filledAt`. */
  millis: number;
  filledAt: number;
}
