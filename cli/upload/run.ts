import type { Drs } from "@drs/client";
import type { Step } from "./progress/board.ts";
import type { Gate } from "./lanes.ts";
import type { RetryPolicy } from "./sending/retry.ts";
import type { SavedUpload, SavedUploads } from "./sessions/saved-uploads.ts";
import type { DocumentOptions } from "./sources/source.ts";
import type { Stored } from "./sending/stored.ts";

/** What the uploads of a run have in common. */
export interface Run extends DocumentOptions {
  readonly drs: Drs;
  readonly server: string;
  /** Where the documents go; undefined: the service does not say. */
  readonly workspaceId: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
  /** Follow each job to its end. */
  readonly wait: boolean;
  /** Send also what the service has. */
  readonly force: boolean;
  readonly patienceMs: number;
  readonly retryPolicy: RetryPolicy;
  readonly hashing: Gate;
  readonly sending: Gate;
  readonly findStored: (sha256: string) => Promise<Stored | undefined>;
  /** What this run sends, by SHA-256: resolves with the dataset once it is accepted, without one if it is not. */
  readonly sent: Map<string, { readonly file: string; readonly datasetId: Promise<string | undefined> }>;
  readonly saved: SavedUploads;
  /** Uploads that this run and earlier ones have not finished, by key. */
  readonly unfinished: Map<string, SavedUpload>;
  /** The state of an upload could not be kept. */
  readonly onUnsaved: (cause: unknown) => void;
}

/** Says what a document is at. */
export type Show = (step: Step) => void;
