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

/** Maximum indices of a transaction, which takes some milliseconds. */
const maxAtOnce = 100;

/**
 * Makes the vectors of unused indices garbage, or else removes a pack that has no datasets left. Every removal may be repeated,
 * so a crash does no harm. Returns false if there was nothing to do.
 */
export async function clearAway({
  metadata,
  vectors,
  clock,
  log,
}: Pick<JobContext, "metadata" | "vectors" | "clock" | "log">): Promise<boolean> {
  if ((await metadata.indices.retireStale(clock(), maxAtOnce)) > 0) return true;
  const leaving = await metadata.packs.takeLeave();
  if (leaving === undefined) return false;
  await vectors.removePack(leaving);
  await metadata.packs.forget(leaving);
  log.info({ pack: leaving }, "the last dataset has left the model pack: its tables are removed");
  return true;
}
