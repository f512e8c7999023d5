import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { DocumentKind } from "../documents/kind.ts";
import { noProperties } from "../documents/properties.ts";
import { conflict } from "../errors.ts";
import type { DatasetId, JobId, WorkspaceId } from "../ids.ts";
import { type Job, publicDatasetId } from "../jobs/job.ts";
import type { StoredBlob } from "../ports/blobs.ts";
import type { Replacement, VersionOutcome } from "../ports/datasets.ts";
import type { Dataset } from "./dataset.ts";
import { cleanFileName } from "../names.ts";
import { noSuchDataset } from "./read.ts";
import { type DatasetMetadata, noMetadata } from "./metadata.ts";
import { changeable } from "./view.ts";

/** The ids of a document's dataset and of the job that processes it. */
export interface DocumentIds {
  readonly datasetId: DatasetId;
  readonly jobId: JobId;
}

interface Content {
  readonly id: DatasetId;
  readonly workspaceId: WorkspaceId;
  /** The dataset that this is a new version of; null or undefined for a new document. */
  readonly versionOf?: DatasetId | null;
  /** As the caller sent it; cleaned here. */
  readonly fileName: string;
  readonly kind: Pick<DocumentKind, "fileExt" | "mimeType">;
  readonly stored: StoredBlob;
  /** Days from `now`; undefined or -1 for never. */
  readonly expiresInDays: number | undefined;
  /** Undefined for no metadata. */
  readonly metadata?: DatasetMetadata;
  readonly now: number;
}

const dayMs = 86_400_000;

/** Creates a dataset that has not been processed yet. */
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

/** When a retention of `days` days that begins at `from` ends; null, which means never, for undefined or -1. */
export function expiryOf(days: number | undefined, from: number): number | null {
  return days === undefined || days === -1 ? null : from + Math.round(days * dayMs);
}

/**
 * Returns the audit entry and the view check for committing the new version that `job` reads: by then the caller may
 * no longer see the dataset.
 */
export function replacing(caller: Caller, job: Job): Replacement {
  const details = `job ${job.id} reads a new version`;
  const act = {
    action: "dataset.replace",
    target: publicDatasetId(job),
    workspaceId: job.workspaceId,
    details,
  } as const;
  return { event: actOf(caller, act, job.createdAt), isTarget: changeable(caller) };
}

/** Returns the error for a dataset that cannot get a new version now. */
export function refuseVersion(id: DatasetId, outcome: Exclude<VersionOutcome, "created">): Error {
  switch (outcome) {
    case "gone":
      return noSuchDataset(id);
    case "pending":
      return conflict(`a new version of dataset ${id} is being read; wait for its job, or cancel it`, {
        reason: "JOB_RUNNING",
      });
    case "busy":
      return conflict(
        `dataset ${id} is being worked on; give it a new version when its job has ended, or cancel that`,
        { reason: "JOB_RUNNING" },
      );
  }
}
