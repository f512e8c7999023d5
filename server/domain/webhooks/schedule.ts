const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * Pauses before the second try and those after it, ms: the ones that Standard Webhooks recommends
 * (https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md).
 */
const pausesMs = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour];

/** So much longer at most, so that what failed together is not tried together. */
const jitter = 0.2;

/** A receiver cannot put a message off for longer than the schedule does. */
const maxAskedMs = 10 * hour;

/**
 * How long to wait after so many tries have failed, ms; undefined: not again. `askedMs`: the pause that the receiver has asked
 * for. `random`: 0 to 1.
 */
export function pauseAfter(tries: number, askedMs: number | undefined, random: number): number | undefined {
  const pause = pausesMs[tries - 1];
  if (pause === undefined) return undefined;
  return Math.round(Math.max(pause * (1 + jitter * random), Math.min(askedMs ?? 0, maxAskedMs)));
}
