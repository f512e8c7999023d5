/** Limits how often a worker may be replaced because of its memory. */
export interface Replacements<Worker> {
  /** Decides on a replacement. `first-refusal`: it is too soon, and this worker is refused for the first time. */
  ask(worker: Worker): "replace" | "first-refusal" | "refuse";
}

/**
 * Maximum pause. Pauses grow up to it, so that a memory limit that is too small for the work does not cause constant
 * replacements.
 */
const maxPauseMs = 60 * 60_000;

/**
 * Creates the limit. `minPauseMs` is the pause between two replacements; it doubles each time that it was too short, up to an
 * hour.
 */
export function createReplacements<Worker extends object>(
  minPauseMs: number,
  now: () => number = () => performance.now(),
): Replacements<Worker> {
  const refused = new WeakSet<Worker>();
  let lastAt = Number.NEGATIVE_INFINITY;
  let pauseMs = minPauseMs;
  return {
    ask(worker) {
      const age = now() - lastAt;
      if (age < pauseMs) {
        if (refused.has(worker)) return "refuse";
        refused.add(worker);
        return "first-refusal";
      }
      pauseMs = refused.has(worker) ? Math.min(pauseMs * 2, maxPauseMs) : minPauseMs;
      lastAt = now();
      return "replace";
    },
  };
}
