import type { ColumnType } from "kysely";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../../../domain/ids.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";

export interface GarbageTable {
  kind: Garbage["kind"];
  key: string;
  notBefore: number;
  /** The claim that is writing it; null: none. */
  claimToken: string | null;
  /** Of vectors: whose table of the index has them; null: it is not known. */
  workspaceId: WorkspaceId | null;
  pack: string | null;
}

/** A request with an idempotency key. It is under way as long as `answer` is null and the hold lasts. */
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
  /** Null until all of the request has come. */
  bodySha256: string | null;
  bodyFileBytes: number | null;
  /** The message of the answer, encrypted if it holds a secret. */
  answer: ColumnType<Uint8Array | null>;
}

/** Kept by triggers on what is counted: only to be read. A count is the sum over all shards. */
export interface TallyTable {
  /** A workspace or an organisation; `cache` for the bytes of all renditions. */
  owner: string;
  kind: TallyKind;
  name: string;
  shard: string;
  total: number;
}

/**
 * Datasets by type and by format, those that searches find a page of by type; listed jobs by status, audit events by action; of the
 * indices that serve, datasets and their pages by pack; the bytes of renditions.
 */
export type TallyKind = "datasets" | "formats" | "searchable" | "jobs" | "events" | "served" | "pages" | "bytes";

/** Kept by triggers on `workspaces`, `datasets` and `uploads`: only to be read. Sizes are bytes. */
export interface HoldingTable {
  workspaceId: WorkspaceId;
  /** The last letter of the id of what is held; empty for what was counted before there were lines. */
  shard: string;
  originals: number;
  converted: number;
  parts: number;
  documents: number;
  pages: number;
}

/** Calls of a workspace in a month, such as `2026-11`, UTC. */
export interface RequestCountTable {
  workspaceId: WorkspaceId;
  month: string;
  requests: number;
}

/** What a workspace held at the end of a day, such as `2026-11-22`, UTC; of the day under way, some minutes ago. */
export interface DailyUsageTable {
  workspaceId: WorkspaceId;
  day: string;
  storedBytes: number;
  documents: number;
  pages: number;
}

/** What one process at a time does; all times are the store's. */
export interface DutyTable {
  name: string;
  /** The run of a process that has it; null: none. */
  holder: string | null;
  heldUntil: number;
  /** How often others have asked its holder to look. */
  requests: number;
}

/** A rate that several processes count together. */
export interface RateBucketTable {
  id: string;
  /** Thousandths of a request that may still be granted, as of `filledAt`. */
  millis: number;
  filledAt: number;
}
