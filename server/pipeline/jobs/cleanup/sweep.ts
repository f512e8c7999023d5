import { setTimeout as sleep } from "node:timers/promises";
import { renditionPrefix } from "../../../domain/datasets/dataset.ts";
import { finishedVisibleMs } from "../../../domain/jobs/read.ts";
import type { BlobStore } from "../../../domain/ports/blobs.ts";
import { featurePrefix } from "../../../domain/ports/features.ts";
import type { Garbage, RowGarbage } from "../../../domain/ports/garbage.ts";
import type { VectorStore } from "../../../domain/ports/vector-store.ts";
import { isFull, storageFaultOf } from "../../../domain/storage-fault.ts";
import { logFault } from "../../../logging/log-fault.ts";
import type { JobContext } from "../context.ts";

type SweepContext = Pick<
  JobContext,
  "metadata" | "blobs" | "vectors" | "maintenance" | "rowMaintenance" | "clock" | "log"
>;

const atOnce = 100;

/** Maximum number of entries that one process takes at a time. */
const takenAtOnce = 20;

/** Time for which a process owns its entries, longer than a batch of removals takes. If it dies, another takes them over then. */
const takenMs = 30_000;

/** Finished jobs are listed for a day; an hour is added so that another process's clock does not remove them too early. */
const unlistedAfterMs = finishedVisibleMs + 3_600_000;

/** Jobs wait while a sweep runs, so it stops after this time and continues once the next jobs have been claimed. */
const sweepMs = 500;

/** Pause between two batches of rows, in which other processes can write. */
const pauseMs = 5;

/** Delay after a failed removal, for example without permission; other removals continue meanwhile. */
const retryMs = 60_000;

/** Delay after a removal that failed on a full disk: other removals may free the space that it needs. */
const retryFullMs = 5_000;

/** Time after which maintenance is requested again if it has not freed the disk space. */
const maintainedWithinMs = 120_000;

/**
 * Runs the periodic clean-up, which only one worker at a time does. It ends expired upload sessions, deletes expired datasets,
 * deletes the responses of expired idempotency keys, and removes garbage outside the database. Every removal may be repeated, so
 * neither a crash nor two concurrent workers do any harm. Returns true if more is due.
 */
export async function sweep(context: SweepContext): Promise<boolean> {
  const { metadata, clock } = context;
  await metadata.uploads.sweep(clock());
  await metadata.idempotency.sweep(clock());
  await metadata.jobs.unlist(clock() - unlistedAfterMs);
  await metadata.datasets.deleteExpired(clock(), atOnce);
  const startedAt = performance.now();
  for (;;) {
    const due = await metadata.garbage.due(clock(), atOnce);
    const isOver = (): boolean => performance.now() - startedAt > sweepMs;
    for (const batch of inBatches(due)) {
      const now = clock();
      const taken = await metadata.garbage.take(batch, { now, until: now + takenMs });
      for (const [index, garbage] of taken.entries()) {
        await collect(context, garbage, isOver);
        if (!isOver()) continue;
        for (const left of taken.slice(index + 1)) await metadata.garbage.postpone(left, now);
        return true;
      }
    }
    // Removals may have added other entries to the list.
    if (due.length === 0) return false;
  }
}

function* inBatches(due: readonly Garbage[]): Generator<readonly Garbage[]> {
  for (let from = 0; from < due.length; from += takenAtOnce) yield due.slice(from, from + takenAtOnce);
}

async function collect(context: SweepContext, garbage: Garbage, isOver: () => boolean): Promise<void> {
  const { metadata, clock, log } = context;
  try {
    if (garbage.kind === "rows" || garbage.kind === "parts") return await removeRows(context, garbage, isOver);
    await remove(garbage, context);
    if (garbage.kind === "vectors") await giveDiskBack(context, garbage);
    else await metadata.garbage.done(garbage);
  } catch (cause) {
    logFault(log, "error", { err: cause, garbage }, "removing deleted data failed; trying again");
    const pauseMs = isFull(storageFaultOf(cause)) ? retryFullMs : retryMs;
    await metadata.garbage.postpone(garbage, clock() + pauseMs);
  }
}

/** Removes rows in batches; rows that remain when the time is up stay on the list for the next sweep. */
async function removeRows(
  { metadata, rowMaintenance, clock }: SweepContext,
  garbage: RowGarbage,
  isOver: () => boolean,
): Promise<void> {
  while (!(await metadata.garbage.removeRows(garbage, clock()))) {
    if (isOver()) return metadata.garbage.postpone(garbage, clock());
    await sleep(pauseMs);
  }
  await metadata.garbage.done(garbage);
  rowMaintenance.request();
}

async function remove(
  garbage: Exclude<Garbage, RowGarbage>,
  { blobs, vectors }: { blobs: BlobStore; vectors: VectorStore },
): Promise<void> {
  switch (garbage.kind) {
    case "blob":
      return blobs.remove(garbage.key);
    case "renditions":
      return blobs.removePrefix(renditionPrefix(garbage.key));
    case "vectors":
      await blobs.removePrefix(featurePrefix({ datasetId: garbage.key, generation: garbage.generation }));
      // The entry of a whole dataset has no table: its rows are removed by the entries of its generations.
      return (
        garbage.table && vectors.remove({ ...garbage.table, datasetId: garbage.key, generation: garbage.generation })
      );
    case "table":
      return vectors.removeTable(garbage.key);
  }
}

/**
 * Requests maintenance, because removed rows take up disk space in the index and the database until it is done. The dataset's
 * vectors stay on the list until then, so that the next worker repeats the request after a crash.
 */
async function giveDiskBack(
  { metadata, maintenance, rowMaintenance, clock, log }: SweepContext,
  garbage: Garbage,
): Promise<void> {
  const until = clock() + maintainedWithinMs;
  await metadata.garbage.postpone(garbage, until);
  rowMaintenance.request();
  maintenance.request(() => {
    metadata.garbage
      .done(garbage, until)
      .catch((cause: unknown) =>
        log.warn({ err: cause, garbage }, "garbage entry not removed from the list; trying again"),
      );
  });
}
