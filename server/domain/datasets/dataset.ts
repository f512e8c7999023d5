import type { DatasetId, WorkspaceId } from "../ids.ts";

export const datasetTypes = ["doc", "audio", "video", "image"] as const;
export type DatasetType = (typeof datasetTypes)[number];

/** A stored document. Times are milliseconds since the epoch, UTC. */
export interface Dataset {
  readonly id: DatasetId;
  readonly workspaceId: WorkspaceId;
  readonly type: DatasetType;
  /** Number of pages; 0 until the document has been opened. */
  readonly itemCount: number;
  readonly fileName: string;
  /** Without a dot. */
  readonly fileExt: string;
  readonly mimeType: string;
  /** Bytes of the original. */
  readonly fileSize: number;
  /** SHA-256 of the original, hexadecimal. */
  readonly sha256: string;
  /** Bytes of the PDF that an Office document became; null: not converted. */
  readonly convertedSize: number | null;
  /** Keys of the original and of that PDF in the blob store; null: the ones that follow from the id. */
  readonly originalKey: string | null;
  readonly convertedKey: string | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly expiresAt: number | null;
}

/** Where the original of a dataset lies in the blob store. */
export const originalKey = ({ id, originalKey }: Pick<Dataset, "id" | "originalKey">): string =>
  originalKey ?? originalKeyOf(id);

/** Where the original of a dataset is put that its own upload brings. */
export const originalKeyOf = (id: DatasetId): string => `originals/${id}`;

/** Where the PDF lies that an Office document became. It is as durable as the original. */
export const convertedKey = ({ id, convertedKey }: Pick<Dataset, "id" | "convertedKey">): string =>
  convertedKey ?? `converted/${id}`;

/**
 * Where one claim puts the original that it fetches, or the PDF that it makes of it: under a key of its own, so that a
 * claim that is over, and does not know it yet, replaces nothing.
 */
export const keyOfClaim = (folder: "originals" | "converted", id: DatasetId, { token }: { token: string }): string =>
  `${folder}/${id}.${token}`;

/** What all cached renditions of a dataset have in front of their blob keys. */
export const renditionPrefix = (id: DatasetId): string => `renditions/${id}/`;
