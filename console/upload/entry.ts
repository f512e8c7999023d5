import { DrsError, type DrsErrorCode, type Metadata, type UploadState } from "@drs/client";

/**
 * "stopped": the person has to choose the file again, or to allow reading it; "elsewhere": another tab sends it; "failed": the
 * service has refused it, or was unavailable for too long.
 */
type UploadStatus = "waiting" | "sending" | "paused" | "stopped" | "elsewhere" | "failed" | "done";

/** The options of an upload. */
export interface UploadOptions {
  readonly vectorize: boolean;
  readonly metadata?: Metadata;
  readonly expiresInDays?: number;
}

/** The failure of an upload, in a form that the browser's database can store. */
interface StoredFailure {
  readonly message: string;
  /** Undefined if the failure did not come from the service. */
  readonly code?: DrsErrorCode | undefined;
  readonly status?: number | undefined;
}

/** An upload as stored, so that a later page can show and resume it. */
export interface StoredUpload {
  /** Also the idempotency key of its requests, so that a file sent twice is stored once. */
  readonly id: string;
  /** The workspace, and the member or key that was signed in. */
  readonly owner: string;
  readonly fileName: string;
  /** Bytes. */
  readonly fileSize: number;
  /** Milliseconds since the epoch. */
  readonly lastModified: number;
  readonly addedAt: number;
  /** Browsers already have uploads stored with this name, so it must not change. */
  readonly wishes: UploadOptions;
  /** Whether it waits until the person resumes it. */
  readonly isPaused: boolean;
  /** The session of a file that is sent in parts, once it has started. */
  readonly state?: UploadState | undefined;
  /** Set if the browser provides one, so that the file need not be chosen again. */
  readonly handle?: FileSystemFileHandle | undefined;
  /** Set once it has failed, until it is retried. */
  readonly failure?: StoredFailure | undefined;
  /** Set once the document is stored: the job that reads it. */
  readonly job?: { readonly id: string; readonly datasetId: string } | undefined;
}

/** An upload as shown. */
export interface UploadEntry extends StoredUpload {
  readonly status: UploadStatus;
  readonly sentBytes: number;
  /** 0 if nothing is being sent. */
  readonly bytesPerSecond: number;
  /** Milliseconds; undefined if not known. */
  readonly remainingMs?: number | undefined;
  /** Whether the service does not answer. */
  readonly isAway: boolean;
}

/** A file that was dropped or chosen. */
export interface PickedFile {
  readonly file: File;
  readonly handle?: FileSystemFileHandle | undefined;
}

/** Returns the entry of an upload of which this page has not sent anything yet. */
export function entryOf(kept: StoredUpload, status: UploadStatus): UploadEntry {
  const partBytes = kept.state?.parts.reduce((sum, { size }) => sum + size, 0) ?? 0;
  const sentBytes = kept.job === undefined ? partBytes : kept.fileSize;
  return { ...kept, status, sentBytes, bytesPerSecond: 0, isAway: false };
}

/** Returns the status of an upload that an earlier page or another tab has left. */
export function statusOfLeft({ job, failure, isPaused }: StoredUpload): UploadStatus {
  if (job !== undefined) return "done";
  if (failure !== undefined) return "failed";
  return isPaused ? "paused" : "stopped";
}

export function storedOf(entry: UploadEntry): StoredUpload {
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

export function failureOf(cause: unknown): StoredFailure {
  if (cause instanceof DrsError) return { message: cause.message, code: cause.code, status: cause.status };
  return { message: cause instanceof Error ? cause.message : String(cause) };
}

/** Returns the error of a stored failure. */
export function errorOf({ message, code, status }: StoredFailure): Error {
  return code === undefined ? new Error(message) : new DrsError({ message, code, status });
}

/** Whether a file is the one that an upload started with, as far as the browser can tell. */
export const isSameFile = (
  { fileName, fileSize, lastModified }: StoredUpload,
  file: Pick<File, "name" | "size" | "lastModified">,
): boolean => fileName === file.name && fileSize === file.size && lastModified === file.lastModified;
