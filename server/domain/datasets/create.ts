import type { DocumentKind } from "../documents/kind.ts";
import { noProperties } from "../documents/properties.ts";
import type { DatasetId, JobId, WorkspaceId } from "../ids.ts";
import type { StoredBlob } from "../ports/blobs.ts";
import type { Dataset } from "./dataset.ts";
import { cleanFileName } from "./file-name.ts";
import { type DatasetMetadata, noMetadata } from "./metadata.ts";

/** The ids of a document: its dataset, and the job that works on it. */
export interface DocumentIds {
  readonly datasetId: DatasetId;
  readonly jobId: JobId;
}

interface Content {
  readonly id: DatasetId;
  readonly workspaceId: WorkspaceId;
  /** The dataset that it is a new version of; default: none. */
  readonly versionOf?: DatasetId | null;
  /** As the caller has it; cleaned here. */
  readonly fileName: string;
  readonly kind: Pick<DocumentKind, "fileExt" | "mimeType">;
  readonly stored: StoredBlob;
  /** Days from `now`; undefined or -1: never. */
  readonly expiresInDays: number | undefined;
  /** None when undefined. */
  readonly metadata?: DatasetMetadata;
  readonly now: number;
}

const dayMs = 86_400_000;

/** A dataset that has not been worked on yet. */
export function newDataset(content: Content): Dataset {
  const {
    id,
    workspaceId,
    versionOf = null,
    fileName,
    kind,
    stored,
    expiresInDays,
    metadata = noMetadata,
    now,
  } = content;
  const { fileExt, mimeType } = kind;
  return {
    id,
    versionOf,
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
    warnings: null,
    ...noProperties,
    metadata,
    createdAt: now,
    updatedAt: null,
    expiresAt: expiryOf(expiresInDays, now),
  };
}

/** When what is to be kept for so many days from then expires; undefined or -1: never. */
export function expiryOf(days: number | undefined, from: number): number | null {
  return days === undefined || days === -1 ? null : from + Math.round(days * dayMs);
}
