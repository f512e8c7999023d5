import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type {
  DatasetService,
  ExtractRequest,
  ReplaceFileRequest,
  VectorizeRequest,
} from "@drs/client/gen/drs/v1/datasets_pb";
import { deleteDataset, deleteDatasets } from "../../domain/datasets/delete.ts";
import { getDataset, listDatasets } from "../../domain/datasets/read.ts";
import type { UploadPiece } from "../../domain/datasets/pieces.ts";
import { replaceDocument, uploadDocument, type UploadInput } from "../../domain/datasets/upload.ts";
import { updateDataset } from "../../domain/datasets/update.ts";
import { vectorizeDataset } from "../../domain/datasets/vectorize.ts";
import type { Domain } from "../../domain/domain.ts";
import type { JobType } from "../../domain/jobs/job.ts";
import { baseUrlOf, callerOf, reservedIds } from "./caller.ts";
import { datasetTypes, existsChoiceOf, wordsOf } from "./enums.ts";
import { datasetMessage, jobMessage } from "./messages.ts";

export function datasetService(domain: Domain): ServiceImpl<typeof DatasetService> {
  return {
    async extract(requests, context) {
      const input = uploadInput("datasets/extract", requests, context);
      const job = await uploadDocument(domain, { caller: callerOf(context), input, signal: context.signal });
      return { job: jobMessage(job) };
    },
    async vectorize(requests, context) {
      const input = uploadInput("datasets/vectorize", requests, context);
      const job = await uploadDocument(domain, { caller: callerOf(context), input, signal: context.signal });
      return { job: jobMessage(job) };
    },
    async vectorizeDataset({ id, callbackUrl }, context) {
      const input = { id, jobId: reservedIds(context)?.jobId, callbackUrl };
      return { job: jobMessage(await vectorizeDataset(domain, { caller: callerOf(context), input })) };
    },
    async listDatasets({ type, sha256, filter, fileExt, searchable, ...rest }, context) {
      const { sort, offset, limit, expiresInSeconds } = rest;
      const narrowed = { sha256, filter, fileExts: fileExt, isSearchable: searchable };
      const input = { types: wordsOf(datasetTypes, type), ...narrowed, sort, offset, limit, expiresInSeconds };
      const { total, data } = await listDatasets(domain, { caller: callerOf(context), input });
      return { total, data: data.map((dataset) => datasetMessage(dataset, baseUrlOf(context))) };
    },
    async getDataset({ id, expiresInSeconds }, context) {
      const dataset = await getDataset(domain, { caller: callerOf(context), input: { id, expiresInSeconds } });
      return { dataset: datasetMessage(dataset, baseUrlOf(context)) };
    },
    async updateDataset({ id, metadata, fileName, expiresInDays, expiresInSeconds }, context) {
      const input = { id, metadata, fileName, expiresInDays, expiresInSeconds };
      const dataset = await updateDataset(domain, { caller: callerOf(context), input });
      return { dataset: datasetMessage(dataset, baseUrlOf(context)) };
    },
    async replaceFile(requests, context) {
      const pieces = piecesOfVersion(requests);
      const input = { ids: reservedIds(context), pieces, minFileBytes: announcedBytes(context) };
      const job = await replaceDocument(domain, { caller: callerOf(context), input, signal: context.signal });
      return { job: jobMessage(job) };
    },
    async deleteDataset({ id }, context) {
      return { deleted: await deleteDataset(domain, { caller: callerOf(context), input: { id } }) };
    },
    async deleteDatasets({ ids, filter, dryRun }, context) {
      const input = { ids, filter, dryRun };
      const deletion = await deleteDatasets(domain, { caller: callerOf(context), input, signal: context.signal });
      return { deletion: { ...deletion, ids: [...deletion.ids] } };
    },
  };
}

function uploadInput(
  type: JobType,
  requests: AsyncIterable<ExtractRequest | VectorizeRequest>,
  context: HandlerContext,
): UploadInput {
  return { type, ids: reservedIds(context), pieces: pieces(requests), minFileBytes: announcedBytes(context) };
}

async function* pieces(requests: AsyncIterable<ExtractRequest | VectorizeRequest>): AsyncGenerator<UploadPiece> {
  for await (const { file, fileName, url, expiresInDays, metadata, callbackUrl, ifExists, sha256 } of requests) {
    const same = { ifExists: existsChoiceOf(ifExists), sha256 };
    yield { file, fileName, url, expiresInDays, metadata, callbackUrl, ...same };
  }
}

async function* piecesOfVersion(requests: AsyncIterable<ReplaceFileRequest>): AsyncGenerator<UploadPiece> {
  for await (const { id: datasetId, file, fileName, url, vectorize, callbackUrl, sha256 } of requests) {
    yield { datasetId, file, fileName, url, vectorize, callbackUrl, sha256, expiresInDays: undefined };
  }
}

/**
 * More bytes than everything besides the file in a form that uploads a document: delimiters, heads, a name, an address.
 */
const formBytes = 64 * 1024;

/**
 * The minimum size of the file in a request according to its head, before any of it has come; 0 if the head does not
 * say. Only for forms: other protocols may compress the file or encode it as text.
 */
export function announcedBytes({ requestHeader }: Pick<HandlerContext, "requestHeader">): number {
  const isForm = /^multipart\/form-data\b/i.test(requestHeader.get("content-type") ?? "");
  const length = Number(requestHeader.get("content-length") ?? "");
  return isForm && Number.isSafeInteger(length) ? Math.max(0, length - formBytes) : 0;
}
