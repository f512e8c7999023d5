import type { JobContext } from "../context.ts";

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
