import type { DrsErrorCode } from "@drs/client";

/** The codes of the service, and the statuses that the codes do not tell apart. */
export type Refusal = DrsErrorCode | "too_large" | "unsupported" | "unprocessable";

/** Sentences for errors, shown before the service's own sentence. */
export interface ErrorTexts {
  /** By the reason that the service gives. */
  readonly reasons: Readonly<Record<string, string>>;
  /** For errors whose reason has no sentence. */
  readonly refusals: Readonly<Partial<Record<Refusal, string>>>;
}

/** The service's own sentences are English already, and say more than these could. */
export const errors: ErrorTexts = { reasons: {}, refusals: {} };
