import { createClient } from "@connectrpc/connect";
import type { Connection, CreateOptions, RequestOptions } from "../connection.ts";
import { createOnce } from "../creation.ts";
import { DatasetService } from "../gen/drs/v1/datasets_pb.ts";
import { type Job, jobOf } from "../jobs/job.ts";
import { defaultLimit, entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import { present } from "../present.ts";
import type { LinkOptions } from "../shares/share.ts";
import { uploadDocument } from "../uploads/upload-document.ts";
import type { ReplaceOptions, UploadOptions, UploadSource } from "../uploads/options.ts";
import { valueOf } from "../wire-names.ts";
import { type Filter, jsonOf, type MetadataChange } from "./metadata.ts";
import { type Dataset, datasetOf, type DatasetType, datasetTypes } from "./dataset.ts";

export interface DatasetFilter extends LinkOptions {
  /** Only datasets of these kinds; default: all. */
  readonly type?: readonly DatasetType[] | undefined;
  /** createdAt, updatedAt, expiresAt, fileName, fileSize or itemCount, "-" in front for descending; default "-createdAt". */
  readonly sort?: readonly string[] | undefined;
  /** Only datasets whose uploaded file has one of these SHA-256 sums, hexadecimal, at most 100; default: all. */
  readonly sha256?: readonly string[] | undefined;
  /** Only datasets whose metadata passes it; default: all. */
  readonly filter?: Filter | undefined;
  /** Only datasets with one of these extensions, such as "pdf"; default: all. */
  readonly fileExt?: readonly string[] | undefined;
  /** Only datasets of which searches find pages, or only those of which they find none; default: all. */
  readonly searchable?: boolean | undefined;
}

/** What changes of a dataset; what is left out stays. */
export interface DatasetChanges extends LinkOptions {
  readonly metadata?: MetadataChange | undefined;
  readonly fileName?: string | undefined;
  /** Days from now until it expires; -1: never. */
  readonly expiresInDays?: number | undefined;
}

export interface DeletedDataset {
  readonly id: string;
  /** Stored bytes that the deletion gives back. */
  readonly freedBytes: number;
}

/** Which datasets are to be deleted. */
export type Doomed = { readonly ids: readonly string[] } | { readonly filter: Filter };

export interface Deletion {
  /** Datasets that were meant. */
  readonly matching: number;
  /** Those that were deleted; of a dry run the newest that would be, up to 100. */
  readonly ids: readonly string[];
  /** Stored bytes that the deletion gives back. */
  readonly freedBytes: number;
}

export interface Datasets {
  /**
   * Stores a document; the job splits it into pages and, with `vectorize`, makes them searchable. Large documents go up
   * in parts that survive lost connections and, with `onState` and `resume`, the end of this program. An abort rejects
   * with the reason of its signal and leaves the parts for a resumption; `drs.uploads.abort` deletes them.
   */
  upload(source: UploadSource, options?: UploadOptions): Promise<Job>;
  /**
   * Gives a dataset a new version of its document, under the same id, as `upload` sends one. Until the job has succeeded
   * everything shows the version before; then all of it changes in one step, and links of the version before end.
   */
  replace(id: string, source: UploadSource, options?: ReplaceOptions): Promise<Job>;
  list(query?: DatasetFilter & ListQuery, options?: RequestOptions): AsyncIterable<Dataset>;
  page(query?: DatasetFilter & PageQuery, options?: RequestOptions): Promise<Page<Dataset>>;
  get(id: string, options?: RequestOptions & LinkOptions): Promise<Dataset>;
  /** Changes what is said of a dataset: its metadata, its name, its expiry. */
  update(id: string, changes: DatasetChanges, options?: RequestOptions): Promise<Dataset>;
  /** Makes a stored dataset searchable. `callbackUrl`: an address that is told when the job ends. */
  vectorize(id: string, options?: CreateOptions & { readonly callbackUrl?: string | undefined }): Promise<Job>;
  /** Deletes a dataset with everything made from it, and cancels its jobs. */
  delete(id: string, options?: RequestOptions): Promise<DeletedDataset>;
  /** Deletes all that are named, or pass the filter; with `dryRun` it only tells which those are. */
  deleteMany(which: Doomed, options?: RequestOptions & { readonly dryRun?: boolean | undefined }): Promise<Deletion>;
}

/** Ids of one request: the service's bound. */
const maxIds = 1_000;

function batchesOf(ids: readonly string[]): readonly Doomed[] {
  const batches: Doomed[] = [];
  for (let from = 0; from < ids.length; from += maxIds) batches.push({ ids: ids.slice(from, from + maxIds) });
  return batches;
}

export function createDatasets(connection: Connection): Datasets {
  const client = createClient(DatasetService, connection.transport);
  const deleteSome = async (
    which: Doomed,
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
