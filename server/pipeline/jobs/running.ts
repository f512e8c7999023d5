import type { Dataset } from "../../domain/datasets/dataset.ts";
import type { JobStage } from "../../domain/jobs/job.ts";
import type { JobContext } from "./context.ts";
import type { InFlight } from "./document/in-flight.ts";
import type { HeldLease } from "./lease.ts";

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
