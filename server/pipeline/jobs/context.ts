import type { Logger } from "pino";
import type { Settings } from "../../settings/settings.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Packs } from "../../domain/models/packs.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { Tracing } from "../../domain/ports/tracing.ts";
import type { Meter } from "../../domain/ports/meter.ts";
import type { FeatureCodec } from "../../domain/ports/features.ts";
import type { RemoteFiles } from "../../domain/ports/remote.ts";
import type { VectorStore } from "../../domain/ports/vector-store.ts";
import type { Scratch } from "../convert/scratch.ts";
import type { PackFolders } from "../../embedding/registry.ts";
import type { Conversions } from "../convert/select.ts";
import type { Maintenance } from "./cleanup/maintenance.ts";
import type { PagePool } from "../threads/pool.ts";
import type { IsolatedRetries } from "../process/isolated-retry/trials.ts";
import type { RenditionMaker } from "../renditions.ts";
import type { Dataset } from "../../domain/datasets/dataset.ts";
import type { JobStage } from "../../domain/jobs/job.ts";
import type { HeldLease, InFlight } from "./lease.ts";

/** Everything that jobs depend on; the worker's composition root fills it in. */
export interface JobContext {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly features: FeatureCodec;
  readonly remoteFiles: Pick<RemoteFiles, "parse" | "open">;
  readonly pool: PagePool;
  /** Retries, in isolation, pages that were being processed when a worker died. */
  readonly trials: IsolatedRetries;
  readonly packs: Packs;
  readonly packFolders: PackFolders;
  readonly renditions: RenditionMaker;
  /** Maintenance of the index. */
  readonly maintenance: Pick<Maintenance, "request">;
  /** Maintenance of the database. */
  readonly rowMaintenance: Pick<Maintenance, "request">;
  readonly conversions: Pick<Conversions, "convert" | "describe">;
  /** Holds files for the duration of a conversion. */
  readonly scratch: Pick<Scratch, "folder" | "remove">;
  readonly settings: Pick<
    Settings,
    "renditions" | "workers" | "convertTimeoutMs" | "maxSheetPages" | "maxDocumentBytes"
  >;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly tracing: Tracing;
  readonly log: Logger;
}

/** A running job. */
export interface Run {
  readonly context: JobContext;
  readonly dataset: Dataset;
  /** The document as a PDF, a local file. */
  readonly file: string;
  readonly held: HeldLease;
  readonly inFlight: InFlight;
  /** Pages that are retried in isolation. */
  readonly suspects: readonly number[];
  readonly pageCount: number;
  /** Ends the run: the lease is lost or the worker is stopping. */
  readonly signal: AbortSignal;
  progress(stage: JobStage, pagesDone: number): Promise<void>;
}
