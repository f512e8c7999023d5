import type { ColumnType } from "kysely";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../../../domain/ids.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";

export interface GarbageTable {
  kind: Garbage["kind"];
  key: string;
  notBefore: number;
  /** The claim that is writing the blob or vectors; null if there is none. */
  claimToken: string | null;
  /** For vectors, the workspace with the index table that has them; null if not known. */
  workspaceId: WorkspaceId | null;
  pack: string | null;
}

/** A request with an idempotency key. It is in progress while `answer` is null and its hold has not ended. */
export interface AttemptTable {
  workspaceId: WorkspaceId;
  method: string;
  keySha256: string;
  holder: string;
  heldUntil: number;
  expiresAt: number;
  /** The ids that the request uses for what it creates. */
  datasetId: DatasetId;
  jobId: JobId;
  uploadKey: UploadKey;
  /** Null until the whole request has been received. */
  bodySha256: string | null;
  bodyFileBytes: number | null;
  /** The message of the response, encrypted if it contains a secret. */
  answer: ColumnType<Uint8Array | null>;
}

/** Counters, which triggers on the counted tables maintain. Read only. A count is the sum over all shards. */
export interface TallyTable {
  /** A workspace or an organisation; `cache` for the bytes of all renditions. */
  owner: string;
  kind: TallyKind;
  name: string;
  shard: string;
  total: number;
}

/**
 * Counts: datasets by type, searchable datasets by type, listed jobs by status, audit events by action, datasets and
 * pages of served indices by pack, and the bytes of renditions.
 */
export type TallyKind = "datasets" | "searchable" | "jobs" | "events" | "served" | "pages" | "bytes";

/** Triggers on `workspaces`, `datasets` and `uploads` maintain these rows. Read only. Sizes are in bytes. */
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

/** Number of requests of a workspace in a month (UTC), such as `2026-11`. */
export interface RequestCountTable {
  workspaceId: WorkspaceId;
  month: string;
  requests: number;
}

/**
 * The holdings of a workspace at the end of a day (UTC), such as `2026-11-22`; for the current day, as of some minutes
 * ago.
 */
export interface DailyUsageTable {
  workspaceId: WorkspaceId;
  day: string;
  storedBytes: number;
  documents: number;
  pages: number;
}

/** A leader lease, which one process at a time holds. All times are those of the store's clock. */
export interface DutyTable {
  name: string;
  /** The run of the process that holds the lease; null if none does. */
  holder: string | null;
  heldUntil: number;
  /** How often other processes have asked the holder to look for work. */
  requests: number;
}

/** A token bucket that several processes share. */
export interface RateBucketTable {
  id: string;
  /** Thousandths of a request that can still be granted, as of `filledAt`. */
  millis: number;
  filledAt: number;
}
