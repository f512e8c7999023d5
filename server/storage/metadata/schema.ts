import type { ColumnType, Generated } from "kysely";
import type { AuditAction } from "../../domain/audit/event.ts";
import type { DatasetType } from "../../domain/datasets/dataset.ts";
import type {
  DatasetId,
  EventId,
  InvitationId,
  JobId,
  KeyId,
  MemberId,
  OrganisationId,
  TokenId,
  UploadKey,
  WorkspaceId,
} from "../../domain/ids.ts";
import type { JobStage, JobStatus, JobType } from "../../domain/jobs/job.ts";
import type { MemberRole } from "../../domain/members/role.ts";
import type { Garbage } from "../../domain/ports/metadata.ts";

/** The tables, named and typed as the domain names and types them. Times are milliseconds since the epoch, UTC. */
export interface Schema {
  organisations: OrganisationTable;
  plans: PlanTable;
  members: MemberTable;
  personalTokens: PersonalTokenTable;
  invitations: InvitationTable;
  auditEvents: AuditEventTable;
  workspaces: WorkspaceTable;
  apiKeys: ApiKeyTable;
  signingKeys: SigningKeyTable;
  datasets: DatasetTable;
  uploads: UploadTable;
  uploadParts: UploadPartTable;
  fetches: FetchTable;
  jobs: JobTable;
  suspectPages: SuspectPageTable;
  pages: PageTable;
  pageWords: PageWordsTable;
  pageCounts: PageCountTable;
  renditions: RenditionTable;
  garbage: GarbageTable;
  attempts: AttemptTable;
  workspaceUsage: WorkspaceUsageTable;
  requestCounts: RequestCountTable;
  packs: PackTable;
  indices: IndexTable;
  indexPages: IndexPageTable;
  tallies: TallyTable;
}

export interface OrganisationTable {
  id: OrganisationId;
  name: string;
  createdAt: number;
  /** Name of a row of `plans`. */
  plan: string;
  /** 1 for the organisation that runs the service, 0 for all others. */
  isOperator: number;
}

/** Null: no limit. */
export interface PlanTable {
  name: string;
  maxUploadBytes: number | null;
  maxStorageBytes: number | null;
  maxRetentionDays: number | null;
  requestsPerMinute: number | null;
  concurrentJobs: number | null;
  maxPages: number | null;
}

export interface MemberTable {
  id: MemberId;
  organisationId: OrganisationId;
  name: string;
  role: MemberRole;
  createdAt: number;
  lastUsedAt: number | null;
}

export interface PersonalTokenTable {
  id: TokenId;
  memberId: MemberId;
  secretSha256: string;
  createdAt: number;
}

/** Gone once it is used or revoked. */
export interface InvitationTable {
  id: InvitationId;
  organisationId: OrganisationId;
  name: string;
  role: MemberRole;
  secretSha256: string;
  createdAt: number;
  expiresAt: number;
}

export interface AuditEventTable {
  id: EventId;
  organisationId: OrganisationId;
  at: number;
  actor: string;
  action: AuditAction;
  target: string;
  workspaceId: WorkspaceId | null;
  details: string;
}

export interface WorkspaceTable {
  id: WorkspaceId;
  organisationId: OrganisationId;
  name: string;
  createdAt: number;
  /** When one of its jobs was last taken up; null: never. */
  servedAt: number | null;
  /** When one of its datasets was last taken up to change its model pack; null: never. */
  reindexedAt: number | null;
}

export interface ApiKeyTable {
  id: KeyId;
  organisationId: OrganisationId;
  workspaceId: WorkspaceId;
  name: string;
  secretSha256: string;
  /** Comma-separated. */
  scopes: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
  expiresAt: number | null;
  requestsPerMinute: number | null;
  replacedBy: KeyId | null;
}

export interface SigningKeyTable {
  id: string;
  secret: string;
  createdAt: number;
  supersededAt: number | null;
}

export interface DatasetTable {
  id: DatasetId;
  workspaceId: WorkspaceId;
  type: DatasetType;
  itemCount: number;
  fileName: string;
  fileExt: string;
  mimeType: string;
  fileSize: number;
  sha256: string;
  convertedSize: number | null;
  /** Keys in the blob store; null: the ones that follow from the id. */
  originalKey: string | null;
  convertedKey: string | null;
  createdAt: number;
  updatedAt: number | null;
  expiresAt: number | null;
}

/** An upload in parts. It is open as long as `jobId` is null. */
export interface UploadTable {
  key: UploadKey;
  workspaceId: WorkspaceId;
  fileName: string;
  jobType: JobType;
  expiryInDays: number | null;
  fileSize: number | null;
  createdAt: number;
  expiresAt: number;
  jobId: JobId | null;
  partsDigest: string | null;
  /** Of the parts that it has while it is open. */
  partCount: number;
  receivedBytes: number;
}

export interface UploadPartTable {
  uploadKey: UploadKey;
  partNumber: number;
  etag: string;
  size: number;
  blobKey: string;
}

/** Where the original of a dataset is still to come from. */
export interface FetchTable {
  datasetId: DatasetId;
  url: string;
}

/** A job and, in the same row, its place in the queue. A job is unfinished as long as `finishedAt` is null. */
export interface JobTable {
  id: JobId;
  workspaceId: WorkspaceId;
  datasetId: DatasetId;
  type: JobType;
  status: JobStatus;
  statusText: string | null;
  stage: JobStage;
  pagesDone: number;
  pagesTotal: number;
  /** Bytes fetched so far; null unless the document is being fetched. */
  bytesDone: number | null;
  bytesTotal: number | null;
  startedAt: number | null;
  finishedAt: number | null;
  canceledAt: number | null;
  createdAt: number;
  updatedAt: number | null;
  revision: number;
  /** The process that has claimed the job; null: none. */
  leaseOwner: string | null;
  /** Names the claim. */
  claimToken: string | null;
  /** Kept when the lease is taken away, because its owner may be at work until it notices. */
  leaseUntil: number | null;
  /** Page numbers, comma-separated; empty when none is being worked on. */
  inFlight: string;
  /** The job is not claimed before; null: it may be at once. */
  retryAt: number | null;
  /** How often the job was given back because it failed for a reason that may pass. */
  tries: number;
  /** How often the finished job was asked to run again. */
  reruns: number;
  /** 1: the next run forgets the pages that failed and tries them again. */
  retriesFailures: number;
  /** 0: it finished so long ago that lists leave it out. */
  isListed: Generated<number>;
}

/** Pages that were in flight when a claim ended without a word. */
export interface SuspectPageTable {
  jobId: JobId;
  page: number;
}

export interface PageTable {
  datasetId: DatasetId;
  page: number;
  width: number;
  height: number;
  /** Why the page cannot be read. */
  failure: string | null;
  /** Why a page that can be read cannot be embedded. */
  embedFailure: string | null;
  /** Why a page that can be read cannot be rendered. */
  renderFailure: string | null;
  createdAt: number;
  embeddedAt: number | null;
  /** Names of spaces in which an embedded page has nothing, and so no row; comma-separated. */
  absentFrom: ColumnType<string, string | undefined>;
}

/** Apart from `pages`, so that listing pages does not read past their words. Pages without words have no row. */
export interface PageWordsTable {
  datasetId: DatasetId;
  page: number;
  /** Compressed, see words.ts. */
  words: ColumnType<Uint8Array>;
}

/** Kept by triggers on `pages`: only to be read, and to be removed with them. */
export interface PageCountTable {
  datasetId: DatasetId;
  /** The page number divided by a thousand, rounded down. */
  block: number;
  readable: number;
  /** Of the readable ones. */
  embedded: number;
}

export interface RenditionTable {
  key: string;
  datasetId: DatasetId;
  size: number;
  lastUsedAt: number;
}

export interface GarbageTable {
  kind: Garbage["kind"];
  key: string;
  notBefore: number;
  /** The claim that is writing it; null: none. */
  claimToken: string | null;
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
 * Datasets by type, listed jobs by status, audit events by action; of the indices that serve, datasets and their pages by
 * pack; the bytes of renditions.
 */
export type TallyKind = "datasets" | "jobs" | "events" | "served" | "pages" | "bytes";

/** Kept by triggers on `workspaces`, `datasets` and `uploads`: only to be read. Sizes are bytes. */
export interface WorkspaceUsageTable {
  workspaceId: WorkspaceId;
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
  /** `missing`: rows of it are lost, and are to be made again; `all`: so are those that are there. Null: it is whole. */
  rebuild: "missing" | "all" | null;
}

/** A page of an index that is being made; neither embedded nor failed: it is a suspect. */
export interface IndexPageTable {
  datasetId: DatasetId;
  pack: string;
  page: number;
  embeddedAt: number | null;
  failure: string | null;
  /** 1: it was in flight when a claim ended without a word. */
  isSuspect: number;
  absentFrom: ColumnType<string, string | undefined>;
}
