import type { JobContext } from "../context.ts";

/** Interval of checks for features that another version of drs has listed but entered in no table. */
const lookMs = 10_000;
/** Interval of checks for pages that an older version without features has embedded meanwhile. */
const lookForUnkeptMs = 60_000;

/**
 * Requests the rebuild of indices whose features are in no table, because an earlier version of drs, a restore or a move has
 * listed them, and of indices without features. Removes an earlier version's index once it is not needed any more. Each step
 * returns false.
 */
export function startLooking({
  metadata,
  vectors,
  log,
}: Pick<JobContext, "metadata" | "vectors" | "log">): () => Promise<boolean> {
  let [lookedAt, lookedForUnkeptAt] = [-Infinity, -Infinity];
  let hasRemoved = false;
  return async () => {
    if (performance.now() - lookedAt < lookMs) return false;
    lookedAt = performance.now();
    let entered = await metadata.indices.enterUnlisted();
    if (performance.now() - lookedForUnkeptAt >= lookForUnkeptMs) {
      lookedForUnkeptAt = performance.now();
      entered += await metadata.indices.enterUnkept();
    }
    if (entered > 0) hasRemoved = false;
    if (entered > 0) log.info({ datasets: entered }, "datasets are not in the index; they are entered");
    if (!hasRemoved && !(await metadata.indices.hasRenewals())) {
      await vectors.removeEarlier();
      hasRemoved = true;
    }
    return false;
  };
}
