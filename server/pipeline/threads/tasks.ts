import type { MessagePort } from "node:worker_threads";
import type { DocumentProperties } from "../../domain/documents/properties.ts";
import type { Highlight, RenditionRow } from "../../domain/items/item.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import type { ComputedPage } from "../../domain/ports/features.ts";
import type { QueryInSpace, SearchQuery, WeighedWord } from "../../domain/ports/worker.ts";
import type { ExpectedFailure } from "../process/failures.ts";

/** A page that was read; its size is in its own units, usually points (1/72 inch). */
export interface PageRead {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly words: string;
}

/** A page of a document to render. */
export interface PageToRender {
  readonly file: string;
  readonly page: number;
  readonly row: RenditionRow;
  /** Width of a picture in pixels; by default from its size in points. */
  readonly width?: number | undefined;
}

/** A task of a thread. */
export type ThreadTask =
  | { readonly kind: "count"; readonly file: string }
  | { readonly kind: "properties"; readonly file: string }
  | { readonly kind: "read"; readonly file: string; readonly pages: readonly number[] }
  | {
      readonly kind: "embed";
      readonly file: string;
      readonly pages: readonly { page: number; words: string }[];
      /** The folder of the model pack. */
      readonly packDir: string;
    }
  | ({ readonly kind: "render" } & PageToRender)
  | {
      readonly kind: "highlight";
      readonly file: string;
      readonly page: number;
      readonly words: readonly WeighedWord[];
    }
  | { readonly kind: "query"; readonly query: SearchQuery; readonly packDir: string }
  | { readonly kind: "try"; readonly packDir: string };

/** Reports of a thread while it works. */
export type ThreadReport =
  /** The thread begins this page, or 0 for other work. The page's time counts from here on. */
  | { readonly at: number }
  | { readonly read: PageRead | PageFailure }
  | { readonly embedded: ComputedPage | PageFailure }
  /** The thread's last report: it holds so much memory that it asks to be terminated instead of getting another task. */
  | { readonly last: ThreadAnswer };

/** The result of a task. Errors are plain values: their types would not survive the transfer between threads. */
export type ThreadAnswer =
  /** The end of a batch; pages without a result must be requested again. */
  | { readonly kind: "done" }
  /** Memory ran out, but not because of this page alone. */
  | { readonly kind: "starved" }
  | { readonly kind: "count"; readonly pages: number }
  | { readonly kind: "properties"; readonly properties: DocumentProperties }
  | { readonly kind: "highlights"; readonly highlights: readonly Highlight[] }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "query"; readonly spaces: readonly QueryInSpace[] }
  | ExpectedFailure;

export interface ThreadRequest {
  readonly task: ThreadTask;
  /** Receives the thread's reports. */
  readonly port: MessagePort;
  /** The first element is 1 once the task is cancelled: the thread finishes its current page and begins no other. */
  readonly cancelled: Int32Array<SharedArrayBuffer>;
}

/** Settings of every thread of a pool. */
export interface ThreadSettings {
  readonly maxEngineBytes: number;
  /** Whether to start the engine before the first task, because a caller will wait for its result. */
  readonly warm: boolean;
}
