import type { JobContext } from "../context.ts";

/** How often it is looked whether another version of drs has listed features that are in no table. */
const lookMs = 10_000;
/** How often it is looked for pages that a version before there were features has embedded beside this one. */
const lookForUnkeptMs = 60_000;

/**
 * Has indices filled whose features are in no table: an earlier version of drs has listed them, or a restore or a move; and those
 * of which no features are kept. Once an earlier version's index is not needed any more it is removed. Each step returns false if
 * there was nothing to do.
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
