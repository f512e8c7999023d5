import type { ComputedPage } from "../../../domain/ports/features.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PageRead, PageToRender } from "../../threads/tasks.ts";
import type { Failure } from "../failures.ts";

/** A task of a trial process: one page, or the opening of a document. */
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
  | ({ readonly kind: "render" } & PageToRender);

export type TrialResult =
  | { readonly kind: "count"; readonly pages: number }
  | { readonly kind: "read"; readonly read: PageRead | PageFailure }
  | { readonly kind: "embed"; readonly embedded: ComputedPage | PageFailure }
  | { readonly kind: "render"; readonly bytes: Uint8Array };

export interface TrialLimits {
  readonly pageTimeoutMs: number;
  readonly maxRssBytes: number;
}

/** Messages from the worker process to a trial process. */
export type ToTrial =
  | { readonly kind: "start"; readonly limits: TrialLimits }
  | { readonly kind: "task"; readonly id: number; readonly task: TrialTask };

/** Messages from a trial process to the worker process. */
export type FromTrial =
  | { readonly kind: "ready" }
  /** The task begins: if the process ends from here on, the page may be the cause. */
  | { readonly kind: "begun"; readonly id: number }
  | { readonly kind: "result"; readonly id: number; readonly result: TrialResult }
  | { readonly kind: "failure"; readonly id: number; readonly failure: Failure };
