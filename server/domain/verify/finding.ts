import type { DatasetId, WorkspaceId } from "../ids.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { TableOf } from "../ports/index-tables.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { PackRanking } from "../ports/pack-ranking.ts";
import type { VectorStore } from "../ports/vector-store.ts";

/** A disagreement between rows, bytes and vectors. */
export type Finding =
  /** The bytes of a document are missing, or not those that were stored. */
  | { readonly kind: "original"; readonly datasetId: DatasetId; readonly key: string; readonly problem: string }
  /** The same for the converted PDF of an Office document. */
  | { readonly kind: "converted"; readonly datasetId: DatasetId; readonly key: string; readonly problem: string }
  /** The same for the features that a pack has computed of some pages. */
  | {
      readonly kind: "features";
      readonly datasetId: DatasetId;
      readonly generation: string;
      readonly key: string;
      readonly problem: string;
    }
  /** A blob that no row refers to and that is not on the garbage list. */
  | { readonly kind: "stray blob"; readonly key: string; readonly size: number }
  /** A table of the index cannot be read. */
  | {
      readonly kind: "index table";
      readonly workspaceId: WorkspaceId;
      readonly pack: string;
      readonly problem: string;
    }
  /** Embedded pages that are not in the index. */
  | {
      readonly kind: "missing rows";
      readonly datasetId: DatasetId;
      readonly space: string;
      readonly pages: readonly number[];
    }
  /** Rows whose generation belongs to no index. */
  | {
      readonly kind: "stray rows";
      readonly datasetId: DatasetId;
      readonly generation: string;
      readonly table: TableOf;
      readonly space: string;
      readonly rows: number;
    };

/**
 * The action that was taken on a finding. `none` means that nothing can be done automatically; the finding says
 * what its owner can do.
 */
export type Remedy = "found" | "repaired" | "none";

export interface Verdict {
  readonly finding: Finding;
  readonly remedy: Remedy;
}

/** Formats a verdict as one sentence, with the next step if there is one. */
export function sentenceOf({ finding, remedy }: Verdict): string {
  switch (finding.kind) {
    case "original":
      return `the document of dataset ${finding.datasetId} (${finding.key}) ${finding.problem}; restore it from a backup, or delete the dataset and upload it again`;
    case "converted":
      return `the converted PDF of dataset ${finding.datasetId} (${finding.key}) ${finding.problem}${after(remedy, "it is converted again")}`;
    case "features":
      return `features of dataset ${finding.datasetId} (${finding.key}) ${finding.problem}${after(remedy, "they are made again")}`;
    case "stray blob":
      return `${finding.key} (${finding.size} bytes) belongs to nothing${after(remedy, "it is removed")}`;
    case "index table":
      return `the index of workspace ${finding.workspaceId} in ${finding.pack} cannot be read, and is made again: ${finding.problem}`;
    case "missing rows":
      return `${count(finding.pages.length, "page")} of dataset ${finding.datasetId} ${finding.pages.length === 1 ? "is" : "are"} not in the index (${finding.space})${after(remedy, "they are made again")}`;
    case "stray rows":
      return `${count(finding.rows, "row")} of the index (${finding.space}) for ${finding.datasetId} belong to nothing${after(remedy, "they are removed")}`;
  }
}

const after = (remedy: Remedy, done: string): string => (remedy === "repaired" ? `; ${done}` : "");
const count = (amount: number, what: string): string => `${amount} ${what}${amount === 1 ? "" : "s"}`;

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
