import type { DocumentKind } from "../documents/kind.ts";
import type { DatasetId, JobId, WorkspaceId } from "../ids.ts";
import type { StoredBlob } from "../ports/blobs.ts";
import type { Dataset } from "./dataset.ts";
import { cleanFileName } from "./file-name.ts";

/** The ids of a document: its dataset, and the job that works on it. */
export interface DocumentIds {
  readonly datasetId: DatasetId;
  readonly jobId: JobId;
}

interface Content {
  readonly id: DatasetId;
  readonly workspaceId: WorkspaceId;
  /** As the caller has it; cleaned here. */
  readonly fileName: string;
  readonly kind: Pick<DocumentKind, "fileExt" | "mimeType">;
  readonly stored: StoredBlob;
  /** Days from `now`; undefined or -1: never. */
  readonly expiresInDays: number | undefined;
  readonly now: number;
}

const dayMs = 86_400_000;

/** A dataset that has not been worked on yet. */
export function newDataset({ id, workspaceId, fileName, kind, stored, expiresInDays, now }: Content): Dataset {
  const { fileExt, mimeType } = kind;
  return {
    id,
    workspaceId,
    type: "doc",
    itemCount: 0,
    fileName: cleanFileName(fileName, fileExt === "" ? "document" : `document.${fileExt}`),
    fileExt,
    mimeType,
    fileSize: stored.size,
    sha256: stored.sha256,
    convertedSize: null,
    originalKey: null,
    convertedKey: null,
    createdAt: now,
    updatedAt: null,
    expiresAt: expiresInDays === undefined || expiresInDays === -1 ? null : now + Math.round(expiresInDays * dayMs),
  };
}
