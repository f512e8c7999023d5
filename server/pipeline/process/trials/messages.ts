import type { RenditionRow } from "../../../domain/items/item.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PageEmbedded, PageRead } from "../../threads/tasks.ts";
import type { Failure } from "../failures.ts";

/** What a trial process is asked to do: one page, or the opening of a document. */
export type TrialTask =
  | { readonly kind: "count"; readonly file: string }
  | { readonly kind: "read"; readonly file: string; readonly page: number }
  | {
      readonly kind: "embed";
      readonly file: string;
      readonly page: number;
      readonly words: string;
      /** The folder of the model pack. */
      readonly packDir: string;
    }
  | {
      readonly kind: "render";
      readonly file: string;
      readonly page: number;
      readonly row: RenditionRow;
      readonly width?: number | undefined;
    };

export type TrialResult =
  | { readonly kind: "count"; readonly pages: number }
  | { readonly kind: "read"; readonly read: PageRead | PageFailure }
  | { readonly kind: "embed"; readonly embedded: PageEmbedded | PageFailure }
  | { readonly kind: "render"; readonly bytes: Uint8Array };

export interface TrialLimits {
  readonly pageTimeoutMs: number;
  readonly maxRssBytes: number;
}

/** What the worker process says to a trial process. */
export type ToTrial =
  | { readonly kind: "start"; readonly limits: TrialLimits }
  | { readonly kind: "task"; readonly id: number; readonly task: TrialTask };

/** What a trial process says to the worker process. */
export type FromTrial =
  | { readonly kind: "ready" }
  /** It begins the task: if the process ends from here on, the page may be the cause. */
  | { readonly kind: "begun"; readonly id: number }
  | { readonly kind: "result"; readonly id: number; readonly result: TrialResult }
  | { readonly kind: "failure"; readonly id: number; readonly failure: Failure };
