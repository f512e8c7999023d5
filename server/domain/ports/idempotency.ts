import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../ids.ts";

/** What tells one request with an idempotency key from all others. */
export interface AttemptRef {
  readonly workspaceId: WorkspaceId;
  /** `package.Service/Method`. */
  readonly method: string;
  /** SHA-256 of the key, hexadecimal: what callers put into it is nobody's business. */
  readonly keySha256: string;
}

/** Ids that a creation will use, so that it can be found again when nobody lived to note its answer. */
export interface ReservedIds {
  readonly datasetId: DatasetId;
  readonly jobId: JobId;
  readonly uploadKey: UploadKey;
}

/** What tells whether two requests say the same. */
export interface BodyDigest {
  /** Hexadecimal. */
  readonly sha256: string;
  /** Bytes of the file that came along; 0: none. */
  readonly fileBytes: number;
}

/** Somebody's hold on an attempt. Methods that take it do nothing and say so when the hold is lost. */
export interface AttemptHold extends AttemptRef {
  /** Names one run of one request. */
  readonly holder: string;
}

export interface NewAttempt extends AttemptHold {
  readonly ids: ReservedIds;
  /** How long the hold lasts unless it is renewed, by the store's clock. */
  readonly holdMs: number;
  /** When the attempt and its answer are forgotten. */
  readonly expiresAt: number;
  /** Takes over from a holder that is dead. False: says only that there was one. */
  readonly takesOver: boolean;
}

export type BegunAttempt =
  /** Nobody has tried before. */
  | { readonly outcome: "first" }
  /** Somebody is at it. */
  | { readonly outcome: "running" }
  /** Somebody was at it and is dead; with ids that may have been used. */
  | { readonly outcome: "interrupted"; readonly ids: ReservedIds; readonly body: BodyDigest | undefined }
  | { readonly outcome: "answered"; readonly body: BodyDigest; readonly answer: Uint8Array };

/** Requests with an idempotency key, and the answers that they got. Times are milliseconds since the epoch, UTC. */
export interface IdempotencyStore {
  /** Enters an attempt, or says what became of an earlier one of the same reference. */
  begin(attempt: NewAttempt, now: number): Promise<BegunAttempt>;
  /** Notes what the request said. Comes before the creation is committed. */
  noteBody(hold: AttemptHold, body: BodyDigest): Promise<boolean>;
  /** Other ids for an attempt that starts over. */
  reserve(hold: AttemptHold, ids: ReservedIds): Promise<boolean>;
  /** 0: ends the hold. */
  renew(hold: AttemptHold, holdMs: number): Promise<boolean>;
  /** Keeps the answer, and with it the attempt. */
  answer(hold: AttemptHold, answer: Uint8Array): Promise<boolean>;
  /** Forgets an attempt that has come to nothing, so that its key is free. */
  release(hold: AttemptHold): Promise<void>;
  /** Ends every hold: on an embedded store nobody can be at work when the server starts. */
  endHolds(): Promise<void>;
  /** Forgets what has expired. */
  sweep(now: number): Promise<void>;
}
