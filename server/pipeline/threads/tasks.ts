import type { MessagePort } from "node:worker_threads";
import type { DocumentProperties } from "../../domain/documents/properties.ts";
import type { Highlight } from "../../domain/items/highlight.ts";
import type { RenditionRow } from "../../domain/items/item.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import type { PageInSpace } from "../../domain/ports/features.ts";
import type { WeighedWord } from "../../domain/ports/weighed-word.ts";
import type { QueryInSpace, SearchQuery } from "../../domain/ports/worker.ts";
import type { ExpectedFailure } from "../process/failures.ts";

/** A page that was read; its size in its own units, points (1/72 inch) as a rule. */
export interface PageRead {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly words: string;
}

export interface PageEmbedded {
  readonly page: number;
  readonly spaces: readonly PageInSpace[];
}

/** A page of a document that is made into a rendition. */
export interface PageToRender {
  readonly file: string;
  readonly page: number;
  readonly row: RenditionRow;
  /** Of a picture, pixels; undefined: as it comes. */
  readonly width?: number | undefined;
}

/** What a thread can be asked to do. */
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

/** What a thread says while it works. */
export type ThreadReport =
  /** It begins this page; 0: something that is no page. From here on its time counts. */
  | { readonly at: number }
  | { readonly read: PageRead | PageFailure }
  | { readonly embedded: PageEmbedded | PageFailure }
  /** Its last report: it holds so much memory that it asks to be ended instead of getting another task. */
  | { readonly last: ThreadAnswer };

/** The result of a task. Errors are plain values: their types would not survive the transfer between threads. */
export type ThreadAnswer =
  /** The end of a batch; pages without a result are to be asked for again. */
  | { readonly kind: "done" }
  /** Memory ran out, but not by this page alone. */
  | { readonly kind: "starved" }
  | { readonly kind: "count"; readonly pages: number }
  | { readonly kind: "properties"; readonly properties: DocumentProperties }
  | { readonly kind: "highlights"; readonly highlights: readonly Highlight[] }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "query"; readonly spaces: readonly QueryInSpace[] }
  | ExpectedFailure;

export interface ThreadRequest {
  readonly task: ThreadTask;
  /** Where the thread reports. */
  readonly port: MessagePort;
  /** Its first element is 1 once the task is cancelled: the thread ends its present page and begins no other. */
  readonly cancelled: Int32Array<SharedArrayBuffer>;
}

/** What every thread of a pool is started with. */
export interface ThreadSettings {
  readonly maxEngineBytes: number;
  /** Start the engine before the first task, because a caller will wait for its result. */
  readonly warm: boolean;
}
