import type { DomainError } from "../domain/errors.ts";

/** Several time limits of one transfer. */
export interface TransferTimeouts {
  /** Aborts when one of the limits is exceeded, with its error, or with the caller's reason. */
  readonly signal: AbortSignal;
  /** Starts a limit, milliseconds; returns a function that cancels it. */
  limit(ms: number, passed: () => DomainError): () => void;
}

export function createTransferTimeouts(caller: AbortSignal | undefined): TransferTimeouts {
  const controller = new AbortController();
  return {
    signal: caller === undefined ? controller.signal : AbortSignal.any([caller, controller.signal]),
    limit(ms, passed) {
      const timer = setTimeout(() => controller.abort(passed()), ms);
      return () => clearTimeout(timer);
    },
  };
}
