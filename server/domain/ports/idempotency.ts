import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../ids.ts";

/** What tells one request with an idempotency key from all others. */
export interface AttemptRef {
  readonly workspaceId: WorkspaceId;
  /** `package.Service/Method`. */
  readonly method: string;
  /** SHA-256 of the key, hexadecimal: the key itself may hold anything, and is not kept. */
  readonly keySha256: string;
}

/** Ids that a creation will use, by which it is found if the process dies before its answer is kept. */
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

/** The hold of one request on an attempt. Methods that take it do nothing and return false when it is lost. */
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
  /** The key is new. */
  | { readonly outcome: "first" }
  /** Another request with the key is at work. */
  | { readonly outcome: "running" }
  /** A request with the key has ended without an answer; with ids that it may have used. */
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
  /** Forgets an attempt that has created nothing, so that its key is free. */
  release(hold: AttemptHold): Promise<void>;
  /** Ends every hold: when the server starts on an embedded store, no request is at work. */
  endHolds(): Promise<void>;
  /** Forgets what has expired. */
  sweep(now: number): Promise<void>;
}
