import { setTimeout as pause } from "node:timers/promises";
import { CliError, describeFailure, isDrsError } from "../../failures.ts";

/** Retries while the service does not answer, for all uploads of a run together. */
export interface RetryPolicy {
  /** Runs the work, and repeats it while it fails in a way that may pass; `mayRetry` tells for which failures. */
  retry<Result>(work: () => Promise<Result>, mayRetry?: (cause: unknown) => boolean): Promise<Result>;
  /** The reason why nothing more can be sent; undefined while sending is possible. */
  readonly lost: unknown;
}

interface RetrySettings {
  /** How long to retry while the service does not answer, milliseconds. */
  readonly retryTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the service stops answering, and when it answers again. */
  readonly onAway?: (away: boolean) => void;
}

const firstPauseMs = 250;
const maxPauseMs = 5_000;

export function createRetryPolicy({ retryTimeoutMs, signal, onAway }: RetrySettings): RetryPolicy {
  let awaySince: number | undefined;
  let lost: unknown;
  const answered = (): void => {
    if (awaySince !== undefined) onAway?.(false);
    awaySince = undefined;
  };
  return {
    get lost() {
      return lost;
    },
    async retry(work, mayRetry = mayPass) {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
        let asked = 0;
        const startedAt = Date.now();
        try {
          const result = await work();
          answered();
          return result;
        } catch (cause) {
          signal.throwIfAborted();
          // An invalid key is invalid for the other files too.
          if (isDrsError(cause) && cause.code === "unauthenticated") lost = cause;
          if (!isAway(cause)) answered();
          else if (awaySince === undefined) {
            // The client itself retries refused uploads; that time counts.
            awaySince = surelyRefused(cause) ? startedAt : Date.now();
            onAway?.(true);
          }
          if (awaySince !== undefined && Date.now() - awaySince >= retryTimeoutMs) lost = cause;
          if (lost !== undefined || !mayRetry(cause) || !mayPass(cause)) throw cause;
          asked = isDrsError(cause) ? (cause.retryAfterMs ?? 0) : 0;
        }
        // Random pauses, so that not all lanes retry at the same moment.
        await pause(asked + pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() =>
          signal.throwIfAborted(),
        );
      }
    },
  };
}

/** Returns whether the service is unreachable, starting or stopping. */
function isAway(cause: unknown): boolean {
  return isDrsError(cause) && (cause.code === "unavailable" || cause.status === 504);
}

/** Returns whether a failure may pass; a service that answers 429 is available. */
function mayPass(cause: unknown): boolean {
  return isAway(cause) || (isDrsError(cause) && cause.status === 429);
}

/** Returns whether the failure may pass and the service has certainly not accepted anything. */
export function surelyRefused(cause: unknown): boolean {
  if (!isDrsError(cause) || !mayPass(cause)) return false;
  return cause.status === 429 || cause.status === 503 || cause.message.includes("ECONNREFUSED");
}

/** Returns the error for files that were not tried because the service was lost before. */
export function notTried(lost: unknown): CliError {
  const { message, next, exitCode } = describeFailure(lost);
  return new CliError(`not tried: ${message}`, { next, exitCode });
}
