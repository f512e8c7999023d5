import type { Clock } from "../../domain/clock.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { DocumentFormats } from "../../domain/documents/source.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { PlanLimits } from "../../domain/plans/plan.ts";
import type { Workspace } from "../../domain/workspaces/workspace.ts";

export interface ImportProgress {
  /** Datasets of the archive that have been processed. */
  readonly datasets: number;
  /** Number of these that existed already. */
  readonly present: number;
  /** Number of these that workers have to continue, because pages have to be read or embedded. */
  readonly unfinished: number;
  readonly pages: number;
  /** Size of the documents. */
  readonly bytes: number;
}

export interface ImportOptions {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  /** Model packs of the importing server. */
  readonly packs: { inUse(): Promise<PackRanking> };
  readonly formats: DocumentFormats;
  readonly workspace: Workspace;
  readonly limits: PlanLimits;
  readonly dir: string;
  /** Whether datasets get new ids. */
  readonly newIds: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}
