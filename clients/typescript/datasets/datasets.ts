import { createClient } from "@connectrpc/connect";
import type { Connection, CreateOptions, RequestOptions } from "../connection.ts";
import { createOnce } from "../creation.ts";
import { DatasetService } from "../gen/drs/v1/datasets_pb.ts";
import { type Job, jobOf } from "../jobs/job.ts";
import { defaultLimit, entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import { present, valueOf } from "../wire-names.ts";
import type { LinkOptions } from "../shares/share.ts";
import { uploadDocument } from "../uploads/upload-document.ts";
import type { ReplaceOptions, UploadOptions, UploadSource } from "../uploads/options.ts";
import { type Filter, jsonOf, type MetadataChange } from "./metadata.ts";
import { type Dataset, datasetOf, type DatasetType, datasetTypes } from "./dataset.ts";

export interface DatasetFilter extends LinkOptions {
  /** Only datasets of these kinds; default: all. */
  readonly type?: readonly DatasetType[] | undefined;
  /**
   * Sort order: createdAt, updatedAt, expiresAt, fileName, fileSize or itemCount, with "-" in front for descending;
   * default "-createdAt".
   */
  readonly sort?: readonly string[] | undefined;
  /** Only datasets whose uploaded file has one of these SHA-256 sums, hexadecimal, at most 100; default: all. */
  readonly sha256?: readonly string[] | undefined;
  /** Only datasets whose metadata matches; default: all. */
  readonly filter?: Filter | undefined;
  /** Only datasets with one of these extensions, such as "pdf"; default: all. */
  readonly fileExt?: readonly string[] | undefined;
  /** Only datasets whose pages searches find (true) or do not find (false); default: all. */
  readonly searchable?: boolean | undefined;
}

/** Changes to a dataset; whatever is left out stays unchanged. */
export interface DatasetChanges extends LinkOptions {
  readonly metadata?: MetadataChange | undefined;
  readonly fileName?: string | undefined;
  /** Days from now until it expires; -1 means never. */
  readonly expiresInDays?: number | undefined;
}

export interface DeletedDataset {
  readonly id: string;
  /** Stored bytes that the deletion frees. */
  readonly freedBytes: number;
}

/** Selects datasets, by their ids or by a filter. */
export type DatasetSelection = { readonly ids: readonly string[] } | { readonly filter: Filter };

export interface Deletion {
  /** Number of datasets that matched. */
  readonly matching: number;
  /** Deleted datasets; in a dry run the newest that would be deleted, up to 100. */
  readonly ids: readonly string[];
  /** Stored bytes that the deletion frees. */
  readonly freedBytes: number;
}

export interface Datasets {
  /**
   * Stores a document. The job splits it into pages and, with `vectorize`, makes them searchable. Large documents are
   * sent in parts, which survive lost connections and, with `onState` and `resume`, the end of this program. An abort
   * rejects with the reason of its signal and keeps the parts for resuming; `drs.uploads.abort` deletes them.
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<Job>;
  /**
   * Replaces the document of a dataset by a new version under the same id, uploaded as by `upload`. Until the job has
   * succeeded, the service returns only the previous version; then it switches completely to the new one, and links to
   * the previous version stop working.
   */
  replace(id: string, source: UploadSource, options?: ReplaceOptions): Promise<Job>;
  list(query?: DatasetFilter & ListQuery, options?: RequestOptions): AsyncIterable<Dataset>;
  page(query?: DatasetFilter & PageQuery, options?: RequestOptions): Promise<Page<Dataset>>;
  get(id: string, options?: RequestOptions & LinkOptions): Promise<Dataset>;
  /** Changes a dataset's metadata, name or expiry. */
  update(id: string, changes: DatasetChanges, options?: RequestOptions): Promise<Dataset>;
  /** Makes a stored dataset searchable. `callbackUrl`: an address that is notified when the job ends. */
  vectorize(id: string, options?: CreateOptions & { readonly callbackUrl?: string | undefined }): Promise<Job>;
  /** Deletes a dataset with everything that was made from it, and cancels its jobs. */
  delete(id: string, options?: RequestOptions): Promise<DeletedDataset>;
  /** Deletes all named datasets, or all that match the filter; with `dryRun` it only returns which it would delete. */
  deleteMany(
    which: DatasetSelection,
    options?: RequestOptions & { readonly dryRun?: boolean | undefined },
  ): Promise<Deletion>;
}

/** The service's limit of ids in one request. */
const maxIds = 1_000;

function batchesOf(ids: readonly string[]): readonly DatasetSelection[] {
  const batches: DatasetSelection[] = [];
  for (let from = 0; from < ids.length; from += maxIds) batches.push({ ids: ids.slice(from, from + maxIds) });
  return batches;
}

export function createDatasets(connection: Connection): Datasets {
  const client = createClient(DatasetService, connection.transport);
  const deleteSome = async (
    which: DatasetSelection,
    dryRun: boolean,
    options: RequestOptions,
  ): Promise<Deletion & { readonly remaining: number }> => {
    const request = "ids" in which ? { ids: [...which.ids], dryRun } : { filter: jsonOf(which.filter), dryRun };
    const answer = await connection.call((call) => client.deleteDatasets(request, call), options);
    const { matching, ids, freedBytes, remaining } = present(answer.deletion, "deletion");
    return { matching, ids, freedBytes, remaining };
  };
  const datasets: Datasets = {
    upload: (source, options) => uploadDocument(connection, source, options),
    replace: (datasetId, source, options) => uploadDocument(connection, source, { ...options, datasetId }),
    list: (query = {}, options) => entriesOf(query, (part) => datasets.page({ ...query, ...part }, options)),
    async page({ type = [], sha256 = [], filter, fileExt = [], searchable, ...rest } = {}, options) {
      const { sort = [], offset = 0, limit, expiresInSeconds } = rest;
      const types = type.map((name) => valueOf(datasetTypes, name));
      const narrowed = { fileExt: [...fileExt], searchable, ...(filter && { filter: jsonOf(filter) }) };
      const wanted = { type: types, sha256: [...sha256], ...narrowed };
      const request = { ...wanted, sort: [...sort], offset, limit, expiresInSeconds };
      const answer = await connection.call((call) => client.listDatasets(request, call), options);
      return { total: answer.total, offset, limit: limit ?? defaultLimit, data: answer.data.map(datasetOf) };
    },
    async get(id, { expiresInSeconds, ...options } = {}) {
      const answer = await connection.call((call) => client.getDataset({ id, expiresInSeconds }, call), options);
      return datasetOf(present(answer.dataset, "dataset"));
    },
    async update(id, { metadata, fileName, expiresInDays, expiresInSeconds }, options) {
      const changes = { fileName, expiresInDays, ...(metadata && { metadata: jsonOf(metadata) }) };
      const request = { id, ...changes, expiresInSeconds };
      const answer = await connection.call((call) => client.updateDataset(request, call), options);
      return datasetOf(present(answer.dataset, "dataset"));
    },
    async vectorize(id, { callbackUrl = "", ...options } = {}) {
      const request = { id, callbackUrl };
      const answer = await createOnce(connection, (call) => client.vectorizeDataset(request, call), options);
      return jobOf(present(answer.job, "job"));
    },
    async delete(id, options) {
      const answer = await connection.call((call) => client.deleteDataset({ id }, call), options);
      const deleted = present(answer.deleted, "deleted dataset");
      return { id: deleted.id, freedBytes: deleted.freedBytes };
    },
    async deleteMany(which, { dryRun = false, ...options } = {}) {
      if (dryRun) return deleteSome(which, true, options);
      const batches = "ids" in which ? batchesOf(which.ids) : [which];
      const all = { matching: 0, ids: new Array<string>(), freedBytes: 0 };
      for (const batch of batches) {
        let part: Deletion & { readonly remaining: number };
        let isFirst = true;
        do {
          part = await deleteSome(batch, false, options);
          if (isFirst) all.matching += part.matching;
          isFirst = false;
          all.ids.push(...part.ids);
          all.freedBytes += part.freedBytes;
        } while (part.remaining > 0);
      }
      return all;
    },
  };
  return datasets;
}
