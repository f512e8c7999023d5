import { DrsError, type DrsErrorCode, type Metadata, type UploadState } from "@drs/client";

/**
 * "stopped": its file has to be given again, or its page's right to read the file; "elsewhere": another tab sends it; "failed":
 * the service has refused it, or stayed away for too long.
 */
export type UploadStatus = "waiting" | "sending" | "paused" | "stopped" | "elsewhere" | "failed" | "done";

/** What is to become of a document. */
export interface UploadWishes {
  readonly vectorize: boolean;
  readonly metadata?: Metadata;
  readonly expiresInDays?: number;
}

/** Why an upload has failed, as the browser's database can keep it. */
export interface KeptFailure {
  readonly message: string;
  /** Undefined: the service has not said it. */
  readonly code?: DrsErrorCode | undefined;
  readonly status?: number | undefined;
}

/** What is needed to show an upload, and to go on with it, after this page has ended. */
export interface KeptUpload {
  /** Also the idempotency key of its requests: what was sent twice is stored once. */
  readonly id: string;
  /** Whose it is: a workspace and who was signed in. */
  readonly owner: string;
  readonly fileName: string;
  /** Bytes. */
  readonly fileSize: number;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly addedAt: number;
  readonly wishes: UploadWishes;
  /** It stays stopped until it is told to go on. */
  readonly isPaused: boolean;
  /** The session of a document that goes in parts, once it has begun. */
  readonly state?: UploadState | undefined;
  /** Where the browser gives one: the file can be read again without being chosen again. */
  readonly handle?: FileSystemFileHandle | undefined;
  /** Once it has failed, until it is tried again. */
  readonly failure?: KeptFailure | undefined;
  /** Once the document is stored: the job that reads it. */
  readonly job?: { readonly id: string; readonly datasetId: string } | undefined;
}

/** An upload as it is shown. */
export interface UploadEntry extends KeptUpload {
  readonly status: UploadStatus;
  readonly sentBytes: number;
  /** 0: nothing is being sent. */
  readonly bytesPerSecond: number;
  /** Milliseconds; undefined: not known. */
  readonly remainingMs?: number | undefined;
  /** The service does not answer. */
  readonly isAway: boolean;
}

/** A file that was dropped or chosen. */
export interface PickedFile {
  readonly file: File;
  readonly handle?: FileSystemFileHandle | undefined;
}

/** As it is shown before anything is sent in this page. */
export function entryOf(kept: KeptUpload, status: UploadStatus): UploadEntry {
  const partBytes = kept.state?.parts.reduce((sum, { size }) => sum + size, 0) ?? 0;
  const sentBytes = kept.job === undefined ? partBytes : kept.fileSize;
  return { ...kept, status, sentBytes, bytesPerSecond: 0, isAway: false };
}

/** The status of an upload that an earlier page, or another tab, has left. */
export function statusOfLeft({ job, failure, isPaused }: KeptUpload): UploadStatus {
  if (job !== undefined) return "done";
  if (failure !== undefined) return "failed";
  return isPaused ? "paused" : "stopped";
}

export function keptOf(entry: UploadEntry): KeptUpload {
  const { id, owner, fileName, fileSize, lastModified, addedAt, wishes, isPaused, state, handle, failure, job } = entry;
  const facts = { id, owner, fileName, fileSize, lastModified, addedAt, wishes, isPaused };
  return {
    ...facts,
    ...(state && { state }),
    ...(handle && { handle }),
    ...(failure && { failure }),
    ...(job && { job }),
  };
}

export function failureOf(cause: unknown): KeptFailure {
  if (cause instanceof DrsError) return { message: cause.message, code: cause.code, status: cause.status };
  return { message: cause instanceof Error ? cause.message : String(cause) };
}

/** The error that a failure was kept of. */
export function errorOf({ message, code, status }: KeptFailure): Error {
  return code === undefined ? new Error(message) : new DrsError({ message, code, status });
}

/** Whether a file is the one that an upload was begun with, as far as a browser tells. */
export const isSameFile = (
  { fileName, fileSize, lastModified }: KeptUpload,
  file: Pick<File, "name" | "size" | "lastModified">,
): boolean => fileName === file.name && fileSize === file.size && lastModified === file.lastModified;
