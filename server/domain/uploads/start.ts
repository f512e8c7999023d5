import { requireDiskSpace } from "../blobs/disk-space.ts";
import type { Caller } from "../caller.ts";
import { cleanFileName } from "../datasets/file-name.ts";
import { readMetadata } from "../datasets/metadata.ts";
import { requireInView } from "../datasets/view.ts";
import { type DocumentKind, kindOfExt, uploadAdvice } from "../documents/kind.ts";
import type { Domain } from "../domain.ts";
import { tooLarge, unsupported } from "../errors.ts";
import { newUploadKey, type UploadKey } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";
import { retentionDays, type SizeLimit, sizeLimit, tooLargeSentence } from "../plans/allowance.ts";
import type { PlanLimits } from "../plans/plan.ts";
import { quotaOf } from "../usage/storage-quota.ts";
import { acceptCallback } from "../webhooks/callback.ts";
import type { Upload } from "./upload.ts";

interface StartInput {
  /** The one to use; undefined: a new one. */
  readonly key: UploadKey | undefined;
  readonly fileName: string;
  /** With or without a dot. */
  readonly fileExt: string;
  readonly jobType: JobType;
  /** Days; -1: never. */
  readonly expiryInDays: number | undefined;
  /** Bytes. */
  readonly fileSize: number | undefined;
  /** JSON of what is said of the dataset; undefined: nothing. */
  readonly metadata?: unknown;
  /** Empty: nobody is told of the job's end. */
  readonly callbackUrl: string;
}

const lifetimeMs = 24 * 3_600_000;

/** Opens a session. Throws `unsupported` or `too_large` for a document that would be refused at the end anyway. */
export async function startUpload(
  domain: Domain,
  { caller, input }: { caller: Caller; input: StartInput },
): Promise<Upload> {
  const { fileExt } = readableKind(input.fileExt);
  const { metadata, clock } = domain;
  const ofDataset = readMetadata(input.metadata ?? {});
  requireInView(caller, ofDataset);
  const allowed = await domain.limitsOf(caller.organisationId);
  const limit = documentLimit(domain, allowed);
  if (input.fileSize !== undefined && input.fileSize > limit.maxBytes) {
    throw tooLarge(tooLargeSentence("the document", limit));
  }
  const quota = await quotaOf(metadata, caller.workspaceId);
  // Where nothing is said, a part has one byte at least.
  if ((input.fileSize ?? 1) > quota.remainingBytes) throw quota.refuse("the document");
  await requireDiskSpace(domain.blobs, input.fileSize ?? 0);
  const now = clock();
  const upload: Upload = {
    key: input.key ?? newUploadKey(),
    workspaceId: caller.workspaceId,
    fileName: cleanFileName(input.fileName, `document.${fileExt}`),
    jobType: input.jobType,
    expiryInDays: retentionDays(input.expiryInDays, allowed) ?? null,
    fileSize: input.fileSize ?? null,
    metadata: ofDataset,
    callbackUrl: await acceptCallback(domain, caller.workspaceId, input.callbackUrl),
    createdAt: now,
    expiresAt: now + lifetimeMs,
    ended: null,
  };
  await metadata.uploads.create(upload);
  return upload;
}

/** Of a document that comes in parts. */
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
    throw unsupported(`.${ext} is a legacy Office format; save the document as .${successor} or PDF and upload that`);
  }
  throw unsupported(`${JSON.stringify(fileExt)} is not the extension of a document that drs reads; ${uploadAdvice}`);
}
