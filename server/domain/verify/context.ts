import type { DatasetId } from "../ids.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { VectorStore } from "../ports/vector-store.ts";

export interface VerifyContext {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly packs: { find(id: string): Promise<PackRanking | undefined> };
  readonly clock: () => number;
}

export interface VerifyOptions {
  /** Whether to check only the index. */
  readonly indexOnly?: boolean;
  /** Only this dataset's part of the index. */
  readonly datasetId?: DatasetId | undefined;
  /** Whether to read every byte of documents and features and compare it with its checksum. */
  readonly deep?: boolean;
  readonly repair: boolean;
  readonly signal: AbortSignal;
  /** Called when a stage begins. */
  readonly onStage?: (stage: "documents" | "files" | "index") => void;
}
