import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../ids.ts";

/** Identifies requests with the same idempotency key. */
export interface AttemptRef {
  readonly workspaceId: WorkspaceId;
  /** `package.Service/Method`. */
  readonly method: string;
  /** SHA-256 of the key, hexadecimal: the key itself may contain anything, and is not stored. */
  readonly keySha256: string;
}

/** Ids that a creation will use, by which it is found if the process dies before its answer is stored. */
export interface ReservedIds {
  readonly datasetId: DatasetId;
  readonly jobId: JobId;
  readonly uploadKey: UploadKey;
}

/** Determines whether two requests have the same content. */
export interface BodyDigest {
  /** Hexadecimal. */
  readonly sha256: string;
  /** Size of the attached file in bytes; 0 if there is none. */
  readonly fileBytes: number;
}

/** The hold of one request on an attempt. Methods that take it do nothing and return false once it is lost. */
export interface AttemptHold extends AttemptRef {
  /** Identifies one run of one request. */
  readonly holder: string;
}

export interface NewAttempt extends AttemptHold {
  readonly ids: ReservedIds;
  /** How long the hold lasts unless it is renewed, by the store's clock. */
  readonly holdMs: number;
  /** When the attempt and its answer are deleted. */
  readonly expiresAt: number;
  /** Whether to take over from a dead holder; if false, the outcome only reports that there was one. */
  readonly takesOver: boolean;
}

export type BegunAttempt =
  /** The key is new. */
  | { readonly outcome: "first" }
  /** Another request with the key is running. */
  | { readonly outcome: "running" }
  /** A request with the key has ended without an answer; `ids` may have been used. */
  | { readonly outcome: "interrupted"; readonly ids: ReservedIds; readonly body: BodyDigest | undefined }
  | { readonly outcome: "answered"; readonly body: BodyDigest; readonly answer: Uint8Array };

/** Stores requests with an idempotency key and their answers. Times are milliseconds since the epoch, UTC. */
export interface IdempotencyStore {
  /** Begins an attempt, or reports the state of an earlier one with the same reference. */
  begin(attempt: NewAttempt, now: number): Promise<BegunAttempt>;
  /** Stores the digest of the request; called before the creation is committed. */
  noteBody(hold: AttemptHold, body: BodyDigest): Promise<boolean>;
  /** Reserves other ids for an attempt that starts over. */
  reserve(hold: AttemptHold, ids: ReservedIds): Promise<boolean>;
  /** A `holdMs` of 0 ends the hold. */
  renew(hold: AttemptHold, holdMs: number): Promise<boolean>;
  /** Stores the answer, and with it the attempt. */
  answer(hold: AttemptHold, answer: Uint8Array): Promise<boolean>;
  /** Deletes an attempt that has created nothing, so that its key is free. */
  release(hold: AttemptHold): Promise<void>;
  /** Ends every hold: when the server starts on an embedded store, no request is running. */
  endHolds(): Promise<void>;
  /** Deletes expired attempts. */
  sweep(now: number): Promise<void>;
}

/** Requests that a process wants to admit at a rate that it shares with others. */
interface RateRequest {
  readonly perMinute: number;
  /** Requests. */
  readonly count: number;
}

export interface RateGrant {
  /** Admitted requests: as many as requested, or fewer if fewer are left. */
  readonly count: number;
  /** Requests of the minute that are left for all processes afterwards; with a fraction. */
  readonly left: number;
}

/** Rates that several processes count together, by the store's clock. All requests of a minute may come at once. */
export interface RateStore {
  grant(id: string, request: RateRequest): Promise<RateGrant>;
  /** Deletes rates that have been full for long. */
  sweep(): Promise<void>;
}
