import type { Metadata } from "../../domain/ports/metadata.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { type BallastFile, withBallastFile } from "../ballast-file.ts";

type Work<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

interface FullDiskOptions {
  readonly reserve: BallastFile;
  /** Writes the database's log into the database, so that its room can be used again. */
  readonly foldLog: () => Promise<void>;
}

/**
 * Wraps a store so that, on a full disk, deletes still work and jobs can still record that they wait for room. Even a
 * delete needs room at first, for the log and the garbage list.
 */
export function workingOnFullDisk(metadata: Metadata, { reserve, foldLog }: FullDiskOptions): Metadata {
  /** Retries after folding the log, which frees up to some MiB. */
  const folding =
    <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Work<Args, Result> =>
    async (...args) => {
      try {
        return await work(...args);
      } catch (cause) {
        if (storageFaultOf(cause) !== "full") throw cause;
        // If there is no room to fold the log either, the retry fails in the same way.
        await foldLog().catch(() => undefined);
        return work(...args);
      }
    };
  const freeing = <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Work<Args, Result> =>
    withBallastFile({ reserve, use: "delete" }, folding(work));
  const waiting = <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Work<Args, Result> =>
    withBallastFile({ reserve, use: "wait" }, folding(work));

  const { datasets, uploads, jobs, indices, garbage, renditions, idempotency, leaderLeases } = metadata;
  return {
    ...metadata,
    datasets: { ...datasets, delete: freeing(datasets.delete), deleteExpired: freeing(datasets.deleteExpired) },
    uploads: { ...uploads, abort: freeing(uploads.abort), sweep: freeing(uploads.sweep) },
    garbage: {
      ...garbage,
      removeRows: freeing(garbage.removeRows),
      take: freeing(garbage.take),
      postpone: freeing(garbage.postpone),
      done: freeing(garbage.done),
    },
    leaderLeases: { ...leaderLeases, hold: folding(leaderLeases.hold) },
    renditions: { ...renditions, evict: freeing(renditions.evict), remove: freeing(renditions.remove) },
    idempotency: { ...idempotency, release: folding(idempotency.release), sweep: freeing(idempotency.sweep) },
    jobs: {
      ...jobs,
      cancel: freeing(jobs.cancel),
      // Only after a job has been claimed can it turn out, and be recorded, that the job has to wait.
      claim: waiting(jobs.claim),
      markSeen: waiting(jobs.markSeen),
      postpone: waiting(jobs.postpone),
      release: folding(jobs.release),
      expireLeases: folding(jobs.expireLeases),
    },
    indices: {
      ...indices,
      postpone: folding(indices.postpone),
      release: folding(indices.release),
      expireLeases: folding(indices.expireLeases),
    },
  };
}
