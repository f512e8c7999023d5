import { DrsError } from "../errors.ts";
import { pause } from "../pause.ts";

/** How failures that may pass are met. */
export interface RetrySettings {
  /** How long the service may fail without a single success, milliseconds; 0: nothing is tried again. */
  readonly patienceMs: number;
  /** Longest pause after the first failure, milliseconds; it doubles with each. */
  readonly firstPauseMs: number;
  /** Milliseconds. */
  readonly maxPauseMs: number;
  /** A connection on which nothing moves for so long is taken for dead, milliseconds. */
  readonly silenceMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Called with true when the service stops answering and is tried again, with false when it answers. */
  readonly onAway?: ((away: boolean) => void) | undefined;
}

/** Tries again for all requests of one upload together: a success of one is a sign of life for the others. */
export interface Retrier {
  /** Runs the work, again and again while `mayRetry` says of its failure that it may pass. Otherwise rejects with it. */
  run<Result>(work: () => Promise<Result>, mayRetry?: (error: DrsError) => boolean): Promise<Result>;
}

export const defaultRetrySettings: RetrySettings = {
  patienceMs: 300_000,
  firstPauseMs: 500,
  maxPauseMs: 30_000,
  silenceMs: 120_000,
  random: Math.random,
};

/** A part on a slow line can take longer than all patience; it gets so many tries whatever they take. */
const minTries = 4;

/** Exponential backoff with full jitter, so that clients which failed together do not come back together. */
export function createRetrier(
  { patienceMs, firstPauseMs, maxPauseMs, random, onAway }: Omit<RetrySettings, "silenceMs">,
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
          if (!(cause instanceof DrsError) || patienceMs === 0 || !mayRetry(cause)) throw cause;
          const now = performance.now();
          failingSince ??= now;
          const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** (tries - 1));
          const pauseMs = Math.max(random() * bound, cause.retryAfterMs ?? 0);
          const isOver = now - failingSince + pauseMs > patienceMs;
          if (isOver && (tries >= minTries || pauseMs > patienceMs)) throw cause;
          if (isAway(cause)) tell(true);
          await pause(pauseMs, signal);
        }
      }
    },
  };
}

/** Request time-out, too many requests, and what servers and proxies answer while something behind them is away. */
const passing: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Of the failures that may pass, those of a service that is not there, rather than busy or failing. */
function isAway({ status }: DrsError): boolean {
  return status === undefined || (status >= 502 && status <= 504);
}

/** What need not be so a moment later. */
export function mayPass({ status, code }: DrsError): boolean {
  return status === undefined ? code === "unavailable" || code === "deadline_exceeded" : passing.includes(status);
}

/**
 * The failures after which a request may be sent again that goes with an idempotency key. What fails inside the service
 * most likely fails again. One that says when to come back after a conflict is still at work on the first try.
 */
export function mayRepeat(error: DrsError): boolean {
  if (error.status === 409) return error.retryAfterMs !== undefined;
  return error.status !== 500 && mayPass(error);
}

/** Whether no connection came about, by the system calls that Node names. Browsers do not tell. */
export function neverConnected(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof AggregateError) return cause.errors.length > 0 && cause.errors.every(neverConnected);
  const call: unknown = Reflect.get(cause, "syscall");
  return call === "connect" || call === "getaddrinfo" || neverConnected(cause.cause);
}
