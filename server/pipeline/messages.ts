import type { Settings } from "../config.ts";
import type { ErrorKind } from "../domain/errors.ts";
import type { QueryFor, QueryInSpace, RenditionRef } from "../domain/ports/worker.ts";

/** What the API process says to its worker process. */
export type ToWorker =
  /** The first message: how to work. */
  | { readonly kind: "start"; readonly settings: Settings; readonly owner: string; readonly claimJobs: boolean }
  | { readonly kind: "call"; readonly id: number; readonly call: WorkerCall }
  /** The caller of a call has gone away. */
  | { readonly kind: "abort"; readonly id: number }
  /** A job has been created, cancelled or deleted. */
  | { readonly kind: "wake" }
  | { readonly kind: "stop" };

export type WorkerCall =
  | { readonly method: "render"; readonly page: RenditionRef }
  | { readonly method: "embedQuery"; readonly query: QueryFor }
  | { readonly method: "tryPack"; readonly model: string };

/** What the worker process says to the API process. */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "result"; readonly id: number; readonly result: WorkerResult }
  | { readonly kind: "failure"; readonly id: number; readonly failure: CallFailure };

export type WorkerResult =
  | { readonly method: "render" | "tryPack" }
  | { readonly method: "embedQuery"; readonly query: readonly QueryInSpace[] };

export interface CallFailure {
  /** Undefined: a bug, not something a caller can act on. */
  readonly kind: ErrorKind | undefined;
  readonly message: string;
}
