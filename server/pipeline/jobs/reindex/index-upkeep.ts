import type { JobContext } from "../context.ts";

/** Interval of checks for features that are in no table. */
const lookMs = 10_000;

/** Requests the rebuild of indices whose features are in no table, as a restore or a move leaves them. Each step returns false. */
export function startLooking({ metadata, log }: Pick<JobContext, "metadata" | "log">): () => Promise<boolean> {
  let lookedAt = -Infinity;
  return async () => {
    if (performance.now() - lookedAt < lookMs) return false;
    lookedAt = performance.now();
    const entered = await metadata.indices.enterUnlisted();
    if (entered > 0) log.info({ datasets: entered }, "datasets are not in the index; they are entered");
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
  const leaving = await metadata.packs.beginRetirement();
  if (leaving === undefined) return false;
  await vectors.removePack(leaving);
  await metadata.packs.forget(leaving);
  log.info({ pack: leaving }, "the last dataset has left the model pack: its tables are removed");
  return true;
}
