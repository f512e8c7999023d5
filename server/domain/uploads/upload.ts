import { randomUUID } from "node:crypto";
import type { DatasetMetadata } from "../datasets/metadata.ts";
import type { DatasetId, JobId, UploadKey, WorkspaceId } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";

/** A document that comes in parts. Times are milliseconds since the epoch, UTC. */
export interface Upload {
  readonly key: UploadKey;
  readonly workspaceId: WorkspaceId;
  readonly fileName: string;
  readonly jobType: JobType;
  /** Days that the dataset is kept; null: the default. */
  readonly expiryInDays: number | null;
  /** Bytes as announced at the start; null: not said. */
  readonly fileSize: number | null;
  /** The dataset whose new version it becomes; null: it becomes a dataset. */
  readonly versionOf: DatasetId | null;
  /** Of the dataset that it becomes. */
  readonly metadata: DatasetMetadata;
  /** Told when the job of the document ends; null: nobody asked for it. */
  readonly callbackUrl: string | null;
  readonly createdAt: number;
  /** When the session ends by itself, with all that it holds. */
  readonly expiresAt: number;
  /** The job that its end started, and what that end was asked with; null while it is open. */
  readonly ended: UploadEnd | null;
}

export interface UploadEnd {
  readonly jobId: JobId;
  /** SHA-256 over numbers and etags of the parts, hexadecimal: tells whether an end is the same end. */
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

/** An upload with the parts that have been received, by number; none once it has ended. */
export interface UploadWithParts {
  readonly upload: Upload;
  readonly parts: readonly UploadPart[];
}

/**
 * A new blob key for a part. It names neither session nor number, which may come after the bytes. A part that is sent
 * again gets another key, so that readers and removers of the one do not touch the other.
 */
export const newPartKey = (): string => `parts/${randomUUID()}`;

export const partBytes = (parts: readonly { readonly size: number }[]): number =>
  parts.reduce((sum, { size }) => sum + size, 0);
