import { setTimeout as pause } from "node:timers/promises";
import { isDrsError } from "../../failures.ts";

/** Tries again while the service is away, for all uploads of a run together. */
export interface RetryPolicy {
  /** Runs the work, again and again while it fails in a way that may pass; `mayRetry` says for which failures. */
  retry<Result>(work: () => Promise<Result>, mayRetry?: (cause: unknown) => boolean): Promise<Result>;
  /** Why nothing more can be sent; undefined: it can. */
  readonly lost: unknown;
}

interface RetrySettings {
  /** How long the service may stay away, milliseconds. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** The service does not answer, or answers again. */
  readonly onAway?: (away: boolean) => void;
}

const firstPauseMs = 250;
const maxPauseMs = 5_000;

export function createRetryPolicy({ patienceMs, signal, onAway }: RetrySettings): RetryPolicy {
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
          // A key that opens nothing opens nothing for the other files either.
          if (isDrsError(cause) && cause.code === "unauthenticated") lost = cause;
          if (!isAway(cause)) answered();
          else if (awaySince === undefined) {
            // The client tries refused uploads again by itself: that time counts.
            awaySince = surelyRefused(cause) ? startedAt : Date.now();
            onAway?.(true);
          }
          if (awaySince !== undefined && Date.now() - awaySince >= patienceMs) lost = cause;
          if (lost !== undefined || !mayRetry(cause) || !mayPass(cause)) throw cause;
          asked = isDrsError(cause) ? (cause.retryAfterMs ?? 0) : 0;
        }
        // Spread, so that all lanes do not knock at the same moment.
        await pause(asked + pauseMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() =>
          signal.throwIfAborted(),
        );
      }
    },
  };
}

/** The service is away, starting or stopping. */
function isAway(cause: unknown): boolean {
  return isDrsError(cause) && (cause.code === "unavailable" || cause.status === 504);
}

/** What need not be so a moment later; a service that answers 429 is there. */
function mayPass(cause: unknown): boolean {
  return isAway(cause) || (isDrsError(cause) && cause.status === 429);
}

/** Of those, the failures after which the service has surely not accepted anything. */
export function surelyRefused(cause: unknown): boolean {
  if (!isDrsError(cause) || !mayPass(cause)) return false;
  return cause.status === 429 || cause.status === 503 || cause.message.includes("ECONNREFUSED");
}
