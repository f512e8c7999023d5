/** How often a worker may be replaced for the memory that it holds. */
export interface Replacements<Worker> {
  /** `first-refusal`: too soon, and refused for the first time for this worker. */
  ask(worker: Worker): "replace" | "first-refusal" | "refuse";
}

/** A bound that is too small for the work makes replacements ever rarer, not more frequent. */
const maxPauseMs = 60 * 60_000;

/** `minPauseMs`: between two replacements; twice as long each time it was not enough, up to an hour. */
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
