import type { Settings } from "../../settings/settings.ts";
import type { ErrorKind } from "../../domain/errors.ts";
import type { Highlight } from "../../domain/items/item.ts";
import type { Measured } from "../../metrics/relay.ts";
import type { MemoryPace } from "./memory/watch.ts";
import type { HighlightedPage, PackQuery, QueryInSpace, RenditionRef } from "../../domain/ports/worker.ts";

/** Messages from a supervisor to its worker process. */
export type ToWorker =
  | StartWorker
  | { readonly kind: "call"; readonly id: number; readonly call: WorkerCall }
  /** The caller of this call has disconnected. */
  | { readonly kind: "abort"; readonly id: number }
  /** A job has been created, cancelled or deleted. */
  | { readonly kind: "wake" }
  /** Asks for an answer, which a healthy process sends at once. */
  | { readonly kind: "ping" }
  /** Finish the current pages and calls, release the jobs, and exit, because a successor is ready. */
  | { readonly kind: "retire" }
  /** Claim no more jobs, finish the current pages, and release the jobs; calls continue. The worker answers when that is done. */
  | { readonly kind: "give-back" }
  /** Release the jobs and exit. */
  | { readonly kind: "stop" };

/** The first message, with the worker's settings. */
export interface StartWorker {
  readonly kind: "start";
  readonly settings: Settings;
  readonly owner: string;
  readonly claimJobs: boolean;
  /** Whether to remove unfinished blobs of dead processes on this machine. */
  readonly sweepTemporary: boolean;
  readonly memoryPace: MemoryPace;
}

export type WorkerCall =
  /** `isSuspect`: a worker crashed while it drew the page. */
  (
    | { readonly method: "render"; readonly page: RenditionRef; readonly isSuspect?: boolean }
    | { readonly method: "highlight"; readonly page: HighlightedPage }
    | { readonly method: "embedQuery"; readonly query: PackQuery }
    | { readonly method: "tryPack"; readonly model: string }
  ) & {
    /** The caller's span; default: none. */
    readonly traceparent?: string | null;
  };

/** Messages from a worker process to its supervisor. */
export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "pong"; readonly rssBytes: number }
  /**
   * The worker exceeds its memory limit and cannot free memory, so it asks to be replaced. It repeats this message until then.
   */
  | { readonly kind: "outgrown"; readonly rssBytes: number }
  /** Measurements since the last report. */
  | { readonly kind: "measured"; readonly measured: Measured }
  | { readonly kind: "given-back" }
  | { readonly kind: "result"; readonly id: number; readonly result: WorkerResult }
  | { readonly kind: "failure"; readonly id: number; readonly failure: CallFailure };

export type WorkerResult =
  | { readonly method: "render" | "tryPack" }
  | { readonly method: "highlight"; readonly highlights: readonly Highlight[] }
  | { readonly method: "embedQuery"; readonly query: readonly QueryInSpace[] };

export interface CallFailure {
  /** Undefined for a bug, because callers can do nothing about it. */
  readonly kind: ErrorKind | undefined;
  readonly message: string;
}
