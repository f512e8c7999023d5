import { DrsError } from "../errors.ts";

/** How to retry after failures that may pass. */
export interface RetrySettings {
  /** How long the service may fail without a single success, milliseconds; 0 disables retries. */
  readonly retryTimeoutMs: number;
  /** Maximum pause after the first failure, milliseconds; it doubles with each failure. */
  readonly firstPauseMs: number;
  /** Maximum pause, milliseconds. */
  readonly maxPauseMs: number;
  /** A connection that is idle for longer counts as dead, milliseconds. */
  readonly silenceMs: number;
  /** Random numbers from 0 to 1. */
  readonly random: () => number;
  /** Called with true when the service stops answering and is tried again, and with false when it answers. */
  readonly onAway?: ((away: boolean) => void) | undefined;
}

/** Retries the requests of one upload together: a success of one shows that the service works for the others. */
export interface Retrier {
  /**
   * Runs the work, and repeats it while `mayRetry` returns true for its failure. Otherwise it rejects with the failure.
   */
  run<Result>(work: () => Promise<Result>, mayRetry?: (error: DrsError) => boolean): Promise<Result>;
}

export const defaultRetrySettings: RetrySettings = {
  retryTimeoutMs: 300_000,
  firstPauseMs: 500,
  maxPauseMs: 30_000,
  silenceMs: 120_000,
  random: Math.random,
};

/**
 * Minimum number of tries, whatever they take: a part on a slow line can take longer than the time allowed for retries.
 */
const minTries = 4;

/** Uses exponential backoff with full jitter, so that clients which failed together do not come back together. */
export function createRetrier(
  { retryTimeoutMs, firstPauseMs, maxPauseMs, random, onAway }: Omit<RetrySettings, "silenceMs">,
  signal?: AbortSignal,
): Retrier {
  let failingSince: number | undefined;
  let away = false;
  const tell = (now: boolean): void => {
    if (now !== away) onAway?.(now);
    away = now;
  };
  return {
    async run(work, mayRetry = mayPass) {
      for (let tries = 1; ; tries += 1) {
        try {
          const result = await work();
          tell(false);
          failingSince = undefined;
          return result;
        } catch (cause) {
          signal?.throwIfAborted();
          if (!(cause instanceof DrsError) || retryTimeoutMs === 0 || !mayRetry(cause)) throw cause;
          const now = performance.now();
          failingSince ??= now;
          const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1));
          const pauseMs = Math.max(random() * bound, cause.retryAfterMs ?? 0);
          const isOver = now - failingSince + pauseMs > retryTimeoutMs;
          if (isOver && (tries >= minTries || pauseMs > retryTimeoutMs)) throw cause;
          if (isAway(cause)) tell(true);
          await pause(pauseMs, signal);
        }
      }
    },
  };
}

/**
 * Request time-out, too many requests, and the statuses of servers and proxies while something behind them is
 * unavailable.
 */
const passing: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Returns whether the failure means an unavailable service, rather than a busy or failing one. */
function isAway({ status }: DrsError): boolean {
  return status === undefined || (status >= 502 && status <= 504);
}

/** Returns whether a failure may pass. */
export function mayPass({ status, code }: DrsError): boolean {
  return status === undefined ? code === "unavailable" || code === "deadline_exceeded" : passing.includes(status);
}

/**
 * Returns whether a request with an idempotency key may be sent again after the failure. A failure inside the service
 * will most likely happen again. After a conflict with a retry time, the service is still working on the first try.
 */
export function mayRepeat(error: DrsError): boolean {
  if (error.status === 409) return error.retryAfterMs !== undefined;
  return error.status !== 500 && mayPass(error);
}

/** Returns whether no connection was made, by the system calls that Node reports. Browsers do not report it. */
export function neverConnected(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(neverConnected);
  const call: unknown = Reflect.get(cause, "syscall");
  return call === "connect" || call === "getaddrinfo" || neverConnected(cause.cause);
}

/** Resolves after the given milliseconds; rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
