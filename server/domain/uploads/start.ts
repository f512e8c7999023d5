import type { Caller } from "../caller.ts";
import { cleanFileName } from "../datasets/file-name.ts";
import { type DocumentKind, kindOfExt } from "../documents/kind.ts";
import { advice } from "../documents/signatures.ts";
import type { Domain } from "../domain.ts";
import { tooLarge, unsupported } from "../errors.ts";
import { newUploadKey, type UploadKey } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";
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
}

const lifetimeMs = 24 * 3_600_000;

/** Opens a session. Throws `unsupported` or `too_large` for a document that would be refused at the end anyway. */
export async function startUpload(
  { metadata, clock, limits }: Domain,
  { caller, input }: { caller: Caller; input: StartInput },
): Promise<Upload> {
  const { fileExt } = readableKind(input.fileExt);
  if (input.fileSize !== undefined && input.fileSize > limits.maxDocumentBytes) {
    throw tooLarge(tooLargeSentence(limits.maxDocumentBytes));
  }
  const now = clock();
  const upload: Upload = {
    key: input.key ?? newUploadKey(),
    workspaceId: caller.workspaceId,
    fileName: cleanFileName(input.fileName, `document.${fileExt}`),
    jobType: input.jobType,
    expiryInDays: input.expiryInDays ?? null,
    fileSize: input.fileSize ?? null,
    createdAt: now,
    expiresAt: now + lifetimeMs,
    ended: null,
  };
  await metadata.uploads.create(upload);
  return upload;
}

export function tooLargeSentence(maxBytes: number): string {
  return `the document is larger than ${Math.round(maxBytes / 2 ** 20)} MB, the most that this server takes; split it`;
}

const legacyExts: Readonly<Record<string, string>> = { doc: "docx", ppt: "pptx", xls: "xlsx" };

function readableKind(fileExt: string): DocumentKind {
  const ext = fileExt.trim().replace(/^\./, "").toLowerCase();
  const kind = kindOfExt(ext);
  if (kind !== undefined) return kind;
  const successor = legacyExts[ext];
  if (successor !== undefined) {
    throw unsupported(`.${ext} is a legacy Office format; save the document as .${successor} or PDF and upload that`);
  }
  throw unsupported(`${JSON.stringify(fileExt)} is not the extension of a document that drs reads; ${advice}`);
}
