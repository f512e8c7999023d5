import { type DatasetId, newUploadKey, type WorkspaceId } from "../../../server/domain/ids.ts";
import type { ClaimedJob } from "../../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import { newPartKey, type Upload, type UploadPart } from "../../../server/domain/uploads/upload.ts";
import { claimNext, morning } from "./records.ts";

/** The time of the cases of usage and quota. */
export const now = morning + 1000;
export const dayMs = 86_400_000;

/** Bytes that no part of these tests reaches. */
export const plenty = 1_000_000;
/** The document that a fetch has stored. */
export const found = {
  fileName: "a.pdf",
  fileExt: "pdf",
  mimeType: "application/pdf",
  fileSize: 700,
  sha256: "ab".repeat(32),
};

export function makeUpload(workspaceId: WorkspaceId): Upload {
  return {
    key: newUploadKey(),
    workspaceId,
    versionOf: null,
    fileName: "book.pdf",
    jobType: "datasets/extract",
    expiryInDays: null,
    fileSize: null,
    metadata: {},
    callbackUrl: null,
    createdAt: morning,
    expiresAt: morning + dayMs,
    ended: null,
  };
}

export const makePart = (partNumber: number, size: number): UploadPart => ({
  partNumber,
  etag: "ab".repeat(32),
  size,
  blobKey: newPartKey(),
});

/** Claims the job of the dataset; those before it are done. */
export async function claimOf(store: Metadata, datasetId: DatasetId): Promise<ClaimedJob> {
  for (;;) {
    const claimed = await claimNext(store, "w", now);
    if (claimed.job.datasetId === datasetId) return claimed;
    await store.jobs.finish(claimed.lease, { status: "SUCCESS", statusText: "" }, now);
  }
}
