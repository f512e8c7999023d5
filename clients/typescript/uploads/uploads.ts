import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { type Upload as WireUpload, UploadService } from "../gen/drs/v1/uploads_pb.ts";
import { defaultLimit, entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import { present } from "../wire-names.ts";
import type { UploadedPart } from "./state.ts";

export interface Uploads {
  /** Lists the open uploads in parts of the workspace, newest first, without their parts. */
  list(query?: ListQuery, options?: RequestOptions): AsyncIterable<Upload>;
  page(query?: PageQuery, options?: RequestOptions): Promise<Page<Upload>>;
  /** Returns one upload with its parts, even if it has ended. */
  get(key: string, options?: RequestOptions): Promise<Upload>;
  /** Ends an upload without a document and deletes its parts. */
  abort(key: string, options?: RequestOptions): Promise<void>;
}

export function createUploads(connection: Connection): Uploads {
  const client = createClient(UploadService, connection.transport);
  const uploads: Uploads = {
    list: (query = {}, options) => entriesOf(query, (part) => uploads.page(part, options)),
    async page({ offset = 0, limit } = {}, options) {
      const answer = await connection.call((call) => client.listUploads({ offset, limit }, call), options);
      return { total: answer.total, offset, limit: limit ?? defaultLimit, data: answer.data.map(uploadOf) };
    },
    async get(key, options) {
      const answer = await connection.call((call) => client.getUpload({ key }, call), options);
      return uploadOf(present(answer.upload, "upload"));
    },
    async abort(key, options) {
      await connection.call((call) => client.abortUpload({ key }, call), options);
    },
  };
  return uploads;
}

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
