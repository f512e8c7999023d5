import type { Upload as WireUpload } from "../gen/drs/v1/uploads_pb.ts";
import type { UploadedPart } from "./state.ts";

/** A document that is being sent in parts. Times are milliseconds since the epoch, UTC. */
export interface Upload {
  /** Key of the session, tmp_…. */
  readonly key: string;
  readonly fileName: string;
  /** The job to be run on the document: "extract" or "vectorize". */
  readonly jobType: string;
  readonly createdAt: number;
  /** When the session expires. */
  readonly expiresAt: number;
  /** Bytes as announced at the start; null if not announced. */
  readonly fileSize: number | null;
  readonly receivedBytes: number;
  readonly partCount: number;
  /** The parts received, by number; empty in lists. */
  readonly parts: readonly UploadedPart[];
  /** The job that the end of the session started; null while the session is open. */
  readonly jobId: string | null;
}

export function uploadOf(wire: WireUpload): Upload {
  return {
    key: wire.key,
    fileName: wire.fileName,
    jobType: wire.jobType,
    createdAt: wire.createdAt,
    expiresAt: wire.expiresAt,
    fileSize: wire.fileSize ?? null,
    receivedBytes: wire.receivedBytes,
    partCount: wire.partCount,
    parts: wire.parts.map(({ partNumber, etag, size }) => ({ partNumber, etag, size })),
    jobId: wire.jobId ?? null,
  };
}
