import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { UploadService } from "../gen/drs/v1/uploads_pb.ts";
import { defaultLimit, entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import { present } from "../present.ts";
import { type Upload, uploadOf } from "./upload.ts";

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
