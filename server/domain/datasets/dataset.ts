import type { DocumentProperties, DocumentWarning } from "../documents/properties.ts";
import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { DatasetMetadata } from "./metadata.ts";

export const datasetTypes = ["doc", "audio", "video", "image"] as const;
export type DatasetType = (typeof datasetTypes)[number];

/** A stored document. Times are milliseconds since the epoch, UTC. */
export interface Dataset extends DocumentProperties {
  /** Identifies this document, its pages and all that is derived from them. */
  readonly id: DatasetId;
  /**
   * The dataset that this one is a new version of; its id is the one that callers use. Null if callers use this
   * dataset's own id.
   */
  readonly versionOf: DatasetId | null;
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
  /** Bytes of the PDF that an Office document was converted to; null if it was not converted. */
  readonly convertedSize: number | null;
  /** Keys of the original and of that PDF in the blob store; null for the keys that follow from the id. */
  readonly originalKey: string | null;
  readonly convertedKey: string | null;
  /** Warnings about content that the pages do not show as it is; null if not known. */
  readonly warnings: readonly DocumentWarning[] | null;
  /** The owner's description of the document. */
  readonly metadata: DatasetMetadata;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  readonly expiresAt: number | null;
}

/** The id by which callers know a dataset, whichever version of its document is served. */
export const publicId = ({ id, versionOf }: Pick<Dataset, "id" | "versionOf">): DatasetId => versionOf ?? id;

/** Bytes that count as stored: original and converted PDF. Features and the index are not counted. */
export const storedBytes = ({ fileSize, convertedSize }: Pick<Dataset, "fileSize" | "convertedSize">): number =>
  fileSize + (convertedSize ?? 0);

/** Blob key of a dataset's original. */
export const originalKey = ({ id, originalKey }: Pick<Dataset, "id" | "originalKey">): string =>
  originalKey ?? originalKeyOf(id);

/** Blob key of an original that is uploaded, as opposed to fetched. */
export const originalKeyOf = (id: DatasetId): string => `originals/${id}`;

/** Blob key of the PDF that an Office document was converted to, which is as durable as the original. */
export const convertedKey = ({ id, convertedKey }: Pick<Dataset, "id" | "convertedKey">): string =>
  convertedKey ?? `converted/${id}`;

/**
 * Blob key of the original that a claim fetches, or of the PDF that it converts. Each claim has its own key, so that
 * a claim that has lost its lease and does not know it cannot overwrite anything.
 */
export const keyOfClaim = (folder: "originals" | "converted", id: DatasetId, { token }: { token: string }): string =>
  `${folder}/${id}.${token}`;

/** Prefix of the blob keys of all cached renditions of a dataset. */
export const renditionPrefix = (id: DatasetId): string => `renditions/${id}/`;

/**
 * Whether the caller of a change may see the dataset. The store calls it with the locked row, in the transaction of
 * the change, so that nothing can change in between. If it returns false, the store answers as if the dataset did not
 * exist. If it throws, the transaction is rolled back.
 */
export type IsTarget = (dataset: Dataset) => boolean;
