import type { ServiceImpl } from "@connectrpc/connect";
import type { AppendPartRequest, UploadService } from "@drs/client/gen/drs/v1/uploads_pb";
import type { Domain } from "../../domain/domain.ts";
import type { JobType } from "../../domain/jobs/job.ts";
import { abortUpload, endUpload } from "../../domain/uploads/end.ts";
import { appendPart } from "../../domain/uploads/append.ts";
import { getUpload, listUploads } from "../../domain/uploads/find.ts";
import type { PartPiece } from "../../domain/uploads/part-pieces.ts";
import { startUpload } from "../../domain/uploads/start.ts";
import { partBytes } from "../../domain/uploads/upload.ts";
import { callerOf, reservedIds } from "./caller.ts";
import { existsChoiceOf } from "./enums.ts";
import { jobMessage, partMessage, uploadMessage } from "./messages.ts";

export function uploadService(domain: Domain): ServiceImpl<typeof UploadService> {
  return {
    async startUpload(request, context) {
      const { fileName, fileExt, jobType, expiryInDays, fileSize, metadata, callbackUrl, ifExists, sha256, datasetId } =
        request;
      const reserved = reservedIds(context)?.uploadKey;
      const named = { key: reserved, fileName, fileExt, jobType: jobTypeOf(jobType), datasetId };
      const same = { ifExists: existsChoiceOf(ifExists) ?? "create", sha256 };
      const input = { ...named, expiryInDays, fileSize, metadata, callbackUrl, ...same };
      const started = await startUpload(domain, { caller: callerOf(context), input });
      if ("job" in started) return { upload: { job: jobMessage(started.job) } };
      const { key, expiresAt } = started.upload;
      return { upload: { key, expiresAt } };
    },
    async appendPart(requests, context) {
      const input = { pieces: pieces(requests) };
      const part = await appendPart(domain, { caller: callerOf(context), input, signal: context.signal });
      return { part: partMessage(part) };
    },
    async getUpload({ key }, context) {
      const { upload, parts } = await getUpload(domain, { caller: callerOf(context), input: { key } });
      const summary = { upload, partCount: parts.length, receivedBytes: partBytes(parts) };
      return { upload: uploadMessage(summary, parts) };
    },
    async listUploads({ offset, limit }, context) {
      const { total, data } = await listUploads(domain, { caller: callerOf(context), input: { offset, limit } });
      return { total, data: data.map((summary) => uploadMessage(summary)) };
    },
    async endUpload({ key, parts, checksum }, context) {
      const input = { key, parts, checksum };
      const job = await endUpload(domain, { caller: callerOf(context), input, signal: context.signal });
      return { job: jobMessage(job) };
    },
    async abortUpload({ key }, context) {
      await abortUpload(domain, { caller: callerOf(context), input: { key } });
      return {};
    },
  };
}

/** Validation has already refused all other words. */
const jobTypeOf = (word: string): JobType | undefined =>
  word === "" ? undefined : word.endsWith("vectorize") ? "datasets/vectorize" : "datasets/extract";

async function* pieces(requests: AsyncIterable<AppendPartRequest>): AsyncGenerator<PartPiece> {
  for await (const { key, partNumber, checksum, file } of requests) yield { key, partNumber, checksum, file };
}
