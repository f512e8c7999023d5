import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import type { DatasetSchema } from "@drs/client/gen/drs/v1/datasets_pb";
import type { DatasetItemSchema } from "@drs/client/gen/drs/v1/items_pb";
import type { MemberSchema } from "@drs/client/gen/drs/v1/members_pb";
import type { JobSchema } from "@drs/client/gen/drs/v1/jobs_pb";
import type { ShareSchema } from "@drs/client/gen/drs/v1/shares_pb";
import type { UploadPartSchema, UploadSchema } from "@drs/client/gen/drs/v1/uploads_pb";
import type { ApiKeySchema } from "@drs/client/gen/drs/v1/workspaces_pb";
import { publicId } from "../../domain/datasets/dataset.ts";
import type { SharedDataset } from "../../domain/datasets/read.ts";
import { type DatasetMetadata, isScalar } from "../../domain/datasets/metadata.ts";
import type { SharedItem } from "../../domain/items/list.ts";
import { publicDatasetId } from "../../domain/jobs/job.ts";
import type { JobView } from "../../domain/jobs/view.ts";
import type { JoinedMember } from "../../domain/members/invitations.ts";
import type { Member } from "../../domain/members/member.ts";
import type { UploadSummary } from "../../domain/ports/uploads.ts";
import type { UploadPart } from "../../domain/uploads/upload.ts";
import type { FoundItem } from "../../ranking/search.ts";
import type { Share } from "../../domain/shares/links.ts";
import type { ApiKey } from "../../domain/workspaces/workspace.ts";
import { datasetTypes, itemRows, jobStatuses, jobTypes, keyScopes, memberRoles } from "./enums.ts";
import type { ExplanationSchema } from "@drs/client/gen/drs/v1/explanations_pb";
import type { Explanation } from "../../ranking/answer/explain.ts";

/** `null` means unset on the wire: the field is left out of the message. */
export function present<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], null | undefined> };
export function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

export function jobMessage(job: JobView): MessageInitShape<typeof JobSchema> {
  const { statusText, startedAt, finishedAt, canceledAt, updatedAt } = job;
  return {
    id: job.id,
    datasetId: publicDatasetId(job),
    type: jobTypes.toWire(job.type),
    status: jobStatuses.toWire(job.status),
    createdAt: job.createdAt,
    progress: progressMessage(job.progress),
    failures: job.failures.map(({ page, reason }) => ({ page, reason })),
    warnings: job.warnings.map(({ code, message, page }) => ({ code, message, ...present({ page }) })),
    ...present({ statusText, startedAt, finishedAt, canceledAt, updatedAt }),
  };
}

function progressMessage({ stage, pagesDone, pagesTotal, bytes }: JobView["progress"]) {
  return { stage, pagesDone, pagesTotal, ...present({ bytesDone: bytes?.done, bytesTotal: bytes?.total }) };
}

export function datasetMessage(dataset: SharedDataset, baseUrl: string): MessageInitShape<typeof DatasetSchema> {
  const { updatedAt, expiresAt } = dataset;
  return {
    id: publicId(dataset),
    workspaceId: dataset.workspaceId,
    type: datasetTypes.toWire(dataset.type),
    itemCount: dataset.itemCount,
    fileName: dataset.fileName,
    fileExt: dataset.fileExt,
    mimeType: dataset.mimeType,
    fileSize: dataset.fileSize,
    createdAt: dataset.createdAt,
    share: shareMessage(dataset.share, baseUrl),
    sha256: dataset.sha256,
    metadata: metadataMessage(dataset.metadata),
    searchable: dataset.isSearchable,
    ...present({ updatedAt, expiresAt }),
  };
}

function metadataMessage(metadata: DatasetMetadata): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, isScalar(value) ? value : [...value]]),
  );
}

function itemFields(item: SharedItem, baseUrl: string) {
  return {
    id: item.id,
    datasetId: item.publicDatasetId,
    col: item.page,
    row: itemRows.toWire(item.row),
    createdAt: item.createdAt,
    share: shareMessage(item.share, baseUrl),
    fileName: item.fileName,
    pageCount: item.pageCount,
    ...(item.highlights && { highlights: [...item.highlights] }),
    ...present({ text: item.text, picture: item.picture, metadata: item.metadata && metadataMessage(item.metadata) }),
  };
}

export const itemMessage = (item: SharedItem, baseUrl: string): MessageInitShape<typeof DatasetItemSchema> =>
  itemFields(item, baseUrl);

export function foundMessage(item: FoundItem, baseUrl: string): MessageInitShape<typeof DatasetItemSchema> {
  const neighbours = item.neighbours.map((neighbour) => itemFields(neighbour, baseUrl));
  const { score, snippet, explanation } = item;
  return {
    ...itemFields(item, baseUrl),
    score,
    neighbours,
    ...(snippet && { snippet: { text: snippet.text, marks: [...snippet.marks] } }),
    ...(explanation && { explanation: explanationMessage(explanation) }),
  };
}

function shareMessage({ path, token, expiresAt }: Share, baseUrl: string): MessageInitShape<typeof ShareSchema> {
  return { url: `${baseUrl}${path}`, token, expiresAt };
}

export function uploadMessage(
  { upload, partCount, receivedBytes }: UploadSummary,
  parts: readonly UploadPart[] = [],
): MessageInitShape<typeof UploadSchema> {
  const { key, fileName, jobType, createdAt, expiresAt, fileSize, ended } = upload;
  return {
    key,
    fileName,
    // The word with which the session was started.
    jobType: jobType.replace("datasets/", ""),
    createdAt,
    expiresAt,
    receivedBytes,
    partCount,
    parts: parts.map(partMessage),
    ...present({ fileSize, jobId: ended?.jobId }),
  };
}

export function partMessage({ etag, partNumber, size }: UploadPart): MessageInitShape<typeof UploadPartSchema> {
  return { etag, partNumber, size };
}

export function keyMessage(key: ApiKey & { key?: string }): MessageInitShape<typeof ApiKeySchema> {
  const { lastUsedAt, revokedAt, expiresAt, requestsPerMinute } = key;
  return {
    id: key.id,
    workspaceId: key.workspaceId,
    name: key.name,
    scopes: key.scopes.map((scope) => keyScopes.toWire(scope)),
    createdAt: key.createdAt,
    ...(key.filter !== null && { filter: filterMessage(key.filter) }),
    ...present({ key: key.key, lastUsedAt, revokedAt, expiresAt, requestsPerMinute }),
  };
}

/** The filter of a key, which was validated when the key was created. */
function filterMessage(text: string): JsonObject {
  const json: JsonObject = JSON.parse(text);
  return json;
}

function explanationMessage({ parts }: Explanation): MessageInitShape<typeof ExplanationSchema> {
  return {
    parts: parts.map(({ weight, probability, logOdds, base, spaces, likeness, features, words }) => ({
      weight,
      probability,
      logOdds,
      base,
      spaces: spaces.map(({ name, score, logOdds: added }) => ({
        name,
        logOdds: added,
        ...(score !== undefined && { score }),
      })),
      likeness,
      features: features.map(({ name, of, value, logOdds: added }) => ({ name, of, value, logOdds: added })),
      words: words.map(({ word, count, logOdds: added, foundAs }) => ({
        word,
        count,
        logOdds: added,
        foundAs: [...foundAs],
      })),
    })),
  };
}

export function memberMessage({
  id,
  name,
  role,
  createdAt,
  lastUsedAt,
}: Member): MessageInitShape<typeof MemberSchema> {
  return { id, name, role: memberRoles.toWire(role), createdAt, ...present({ lastUsedAt }) };
}

/** A personal token with its member. Only this answer contains the token. */
export function personalSessionMessage({ member, token, workspaceId }: JoinedMember) {
  const { organisationId } = member;
  return { member: memberMessage(member), token, organisationId, workspaceId };
}
