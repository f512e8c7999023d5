const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Pauses before the second and later tries, ms, as Standard Webhooks recommends
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
const pausesMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** Maximum relative extension of a pause, so that deliveries that failed together are not retried together. */
const jitter = 0.2;

/** A receiver cannot delay a message for longer than the schedule does. */
const maxRequestedMs = 10 * hour;

/**
 * The pause after `tries` failed tries, ms; undefined for no further try. `requestedMs` is the pause that the
 * receiver has requested; `random` is from 0 to 1.
 */
export function pauseAfter(tries: number, requestedMs: number | undefined, random: number): number | undefined {
  const pause = pausesMs[tries - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause * (1 + jitter * random), Math.min(requestedMs ?? 0, maxRequestedMs)));
}
