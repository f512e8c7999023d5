import type { DrsErrorCode } from "@drs/client";

/** What the service may answer with, beside its codes; by the HTTP status. */
export type Refusal = DrsErrorCode | "too_large" | "unsupported" | "unprocessable";

/** The service's own sentences are English, and say more than its codes do. */
export const errors: Readonly<Partial<Record<Refusal, string>>> = {};
