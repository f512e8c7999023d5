import type { Dataset as WireDataset } from "../gen/drs/v1/datasets_pb.ts";
import { DatasetType as WireType } from "../gen/drs/v1/enums_pb.ts";
import { type Metadata, metadataOf } from "./metadata.ts";
import { type Share, shareOf } from "../shares/share.ts";
import { nameOf, type WireNames } from "../wire-names.ts";

export type DatasetType = "doc" | "audio" | "video" | "image";

/** A stored document. Times are milliseconds since the epoch, UTC. */
export interface Dataset {
  readonly id: string;
  readonly workspaceId: string;
  readonly type: DatasetType;
  /** Number of pages; 0 until the document has been opened. */
  readonly itemCount: number;
  readonly fileName: string;
  /** File extension without a dot. */
  readonly fileExt: string;
  readonly mimeType: string;
  /** Size of the file in bytes. */
  readonly fileSize: number;
  /** SHA-256 of the uploaded file, hexadecimal; empty until a document has been fetched from its URL. */
  readonly sha256: string;
  /** Whether searches find its pages. */
  readonly searchable: boolean;
  /** Metadata of the document. */
  readonly metadata: Metadata;
  readonly createdAt: number;
  readonly updatedAt: number | null;
  /** Null if it never expires. */
  readonly expiresAt: number | null;
  /** Link to the uploaded file. */
  readonly share: Share;
}

export const datasetTypes: WireNames<DatasetType, WireType> = [
  ["doc", WireType.DOC],
  ["audio", WireType.AUDIO],
  ["video", WireType.VIDEO],
  ["image", WireType.IMAGE],
];

export function datasetOf(wire: WireDataset): Dataset {
  return {
    id: wire.id,
    workspaceId: wire.workspaceId,
    type: nameOf(datasetTypes, wire.type),
    itemCount: wire.itemCount,
    fileName: wire.fileName,
    fileExt: wire.fileExt,
    mimeType: wire.mimeType,
    fileSize: wire.fileSize,
    sha256: wire.sha256,
    searchable: wire.searchable,
    metadata: metadataOf(wire.metadata),
    createdAt: wire.createdAt,
    updatedAt: wire.updatedAt ?? null,
    expiresAt: wire.expiresAt ?? null,
    share: shareOf(wire.share),
  };
}
