import { requireDiskSpace } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import { type Dataset, publicId } from "../datasets/dataset.ts";
import { cleanFileName } from "../names.ts";
import { findDataset } from "../datasets/read.ts";
import { typeOfVersion } from "../datasets/upload.ts";
import { findSameContent, type IfExists } from "../datasets/same-content.ts";
import { readMetadata } from "../datasets/metadata.ts";
import { requireWritable } from "../datasets/view.ts";
import { type DocumentKind, kindOfExt, uploadAdvice } from "../documents/kind.ts";
import type { Domain } from "../domain.ts";
import { invalid, tooLarge, unsupported } from "../errors.ts";
import { newUploadKey, type UploadKey } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";
import type { JobView } from "../jobs/view.ts";
import { type PlanLimits, retentionDays, type SizeLimit, sizeLimit, tooLargeSentence } from "../plans/plan.ts";
import { quotaOf } from "../usage/storage-quota.ts";
import { acceptCallback } from "../webhooks/secrets.ts";
import type { Upload } from "./upload.ts";

interface StartInput {
  /** A reserved key; undefined for a new one. */
  readonly key: UploadKey | undefined;
  readonly fileName: string;
  /** With or without a dot. */
  readonly fileExt: string;
  /** Undefined to extract, or, for a new version, to do as with the previous version. */
  readonly jobType: JobType | undefined;
  /** The dataset that gets this as a new version; empty for a new dataset. */
  readonly datasetId: string;
  /** Days; -1 for never. */
  readonly expiryInDays: number | undefined;
  /** Bytes. */
  readonly fileSize: number | undefined;
  /** JSON of the dataset's metadata; undefined for none. */
  readonly metadata?: unknown;
  /** Empty if nobody is notified when the job ends. */
  readonly callbackUrl: string;
  readonly ifExists: IfExists;
  /** SHA-256 of the document, hexadecimal; empty if not given. */
  readonly sha256: string;
}

/** How long a session may stay open. */
export const sessionLifetimeMs = 24 * 3_600_000;

/** A session, or the job of the existing document. */
export type StartedUpload = { readonly upload: Upload } | { readonly job: JobView };

/**
 * Opens a session, unless an existing document with the same bytes is to be returned. Throws `unsupported` or
 * `too_large` for a document that would be refused at the end anyway.
 */
export async function startUpload(
  domain: Domain,
  { caller, input }: { caller: Caller; input: StartInput },
): Promise<StartedUpload> {
  const job = input.ifExists === "return" ? await findSame(domain, caller, input) : undefined;
  return job === undefined ? { upload: await openUpload(domain, caller, input) } : { job };
}

async function findSame(domain: Domain, caller: Caller, input: StartInput): Promise<JobView | undefined> {
  const { sha256, jobType: type = "datasets/extract", callbackUrl } = input;
  if (sha256 === "") throw invalid('ifExists "return" needs the sha256 of the document, by which it is found');
  return findSameContent(domain, { caller, input: { sha256, type, jobId: undefined, callbackUrl } });
}

async function openUpload(domain: Domain, caller: Caller, input: StartInput): Promise<Upload> {
  if (input.jobType === undefined && input.datasetId === "") throw invalid("jobType must be extract or vectorize");
  const { fileExt } = readableKind(input.fileExt);
  const { metadata, clock } = domain;
  const replaced = input.datasetId === "" ? undefined : await replacedBy(domain, caller, input);
  const ofDataset = replaced?.metadata ?? readMetadata(input.metadata ?? {});
  requireWritable(caller, ofDataset);
  const allowed = await domain.limitsOf(caller.organisationId);
  const limit = documentLimit(domain, allowed);
  if (input.fileSize !== undefined && input.fileSize > limit.maxBytes) {
    throw tooLarge(tooLargeSentence("the document", limit), { reason: "DOCUMENT_TOO_LARGE" });
  }
  const quota = await quotaOf(metadata, caller.workspaceId);
  // If no size is given, a part has at least one byte.
  if ((input.fileSize ?? 1) > quota.remainingBytes) throw quota.refuse("the document");
  await requireDiskSpace(domain.blobs, input.fileSize ?? 0);
  const now = clock();
  const upload: Upload = {
    key: input.key ?? newUploadKey(),
    workspaceId: caller.workspaceId,
    versionOf: replaced === undefined ? null : publicId(replaced),
    fileName: cleanFileName(input.fileName, `document.${fileExt}`),
    jobType: replaced === undefined ? (input.jobType ?? "datasets/extract") : await typeOf(domain, replaced, input),
    expiryInDays: replaced === undefined ? (retentionDays(input.expiryInDays, allowed) ?? null) : null,
    fileSize: input.fileSize ?? null,
    metadata: ofDataset,
    callbackUrl: await acceptCallback(domain, caller.workspaceId, input.callbackUrl),
    createdAt: now,
    expiresAt: now + sessionLifetimeMs,
    ended: null,
  };
  await metadata.uploads.create(upload);
  return upload;
}

/** Finds the dataset that the session becomes a new version of. Its metadata stays, so none may be given. */
async function replacedBy(domain: Domain, caller: Caller, input: StartInput): Promise<Dataset> {
  if (input.metadata !== undefined || input.expiryInDays !== undefined || input.ifExists === "return") {
    throw invalid(
      "with datasetId a session becomes a new version of that dataset, whose metadata and expiry stay; " +
        "leave out metadata, expiryInDays and ifExists",
    );
  }
  return findDataset(domain, caller, input.datasetId);
}

const typeOf = (domain: Domain, replaced: Dataset, { jobType }: StartInput): Promise<JobType> =>
  typeOfVersion(domain, replaced, jobType && jobType === "datasets/vectorize");

/** The size limit of a document that comes in parts. */
export function documentLimit({ limits }: Pick<Domain, "limits">, allowed: PlanLimits): SizeLimit {
  return sizeLimit({ maxBytes: limits.maxDocumentBytes, whose: "the most that this server takes; split it" }, allowed);
}

const legacyExts: ReadonlyMap<string, string> = new Map([
  ["doc", "docx"],
  ["ppt", "pptx"],
  ["xls", "xlsx"],
]);

function readableKind(fileExt: string): DocumentKind {
  const ext = fileExt.trim().replace(/^\./, "").toLowerCase();
  const kind = kindOfExt(ext);
  if (kind !== undefined) return kind;
  const successor = legacyExts.get(ext);
  if (successor !== undefined) {
    throw unsupported(`.${ext} is a legacy Office format; save the document as .${successor} or PDF and upload that`, {
      reason: "FORMAT_UNSUPPORTED",
    });
  }
  throw unsupported(`${JSON.stringify(fileExt)} is not the extension of a document that drs reads; ${uploadAdvice}`, {
    reason: "FORMAT_UNSUPPORTED",
  });
}
