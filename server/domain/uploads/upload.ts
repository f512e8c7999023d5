import { randomUUID } from "node:crypto";
import type { DatasetMetadata } from "../datasets/metadata.ts";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";

/** An upload session: a document that comes in parts. Times are milliseconds since the epoch, UTC. */
export interface Upload {
  readonly key: UploadKey;
  readonly workspaceId: WorkspaceId;
  readonly fileName: string;
  readonly jobType: JobType;
  /** Days that the dataset is kept; null for the default. */
  readonly expiryInDays: number | null;
  /** Bytes as announced at the start; null if not announced. */
  readonly fileSize: number | null;
  /** The dataset that gets this as a new version; null for a new dataset. */
  readonly versionOf: DatasetId | null;
  /** Metadata of the future dataset. */
  readonly metadata: DatasetMetadata;
  /** Notified when the job of the document ends; null for nobody. */
  readonly callbackUrl: string | null;
  readonly createdAt: number;
  /** When the session ends by itself, with all its parts. */
  readonly expiresAt: number;
  /** The job that the end of the session started, and the digest of its parts; null while the session is open. */
  readonly ended: UploadEnd | null;
}

export interface UploadEnd {
  readonly jobId: JobId;
  /** SHA-256 over numbers and etags of the parts, hexadecimal; identifies repetitions of the end. */
  readonly partsDigest: string;
}

/** A part that has been received. */
export interface UploadPart {
  readonly partNumber: number;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
  /** Blob key of its bytes. */
  readonly blobKey: string;
}

/** An upload with its received parts, by number; none once it has ended. */
export interface UploadWithParts {
  readonly upload: Upload;
  readonly parts: readonly UploadPart[];
}

/**
 * Returns a new blob key for a part. It contains neither session nor number, which may come after the bytes. A part
 * that is sent again gets another key, so that readers and removers of one do not affect the other.
 */
export const newPartKey = (): string => `parts/${randomUUID()}`;

export const partBytes = (parts: readonly { readonly size: number }[]): number =>
  parts.reduce((sum, { size }) => sum + size, 0);
