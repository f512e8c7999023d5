import type { Metadata } from "../../domain/ports/metadata.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { type Reserve, withReserve } from "../reserve.ts";

type Work<Args extends readonly unknown[], Result> = (...args: Args) => Promise<Result>;

interface Means {
  readonly reserve: Reserve;
  /** Makes the room of the database's log usable again. */
  readonly foldLog: () => Promise<void>;
}

/**
 * The same store, in which a full disk does not stop what frees room, and a job that waits for room can say so. Deleting
 * takes room first, for the log and the list of what is to be removed.
 */
export function workingOnFullDisk(metadata: Metadata, { reserve, foldLog }: Means): Metadata {
  /** Once more with the room of the log, which is up to some MiB. */
  const folding =
    <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Work<Args, Result> =>
    async (...args) => {
      try {
        return await work(...args);
      } catch (cause) {
        if (storageFaultOf(cause) !== "full") throw cause;
        // Where there is no room to fold it into the database either, the work says so again.
        await foldLog().catch(() => undefined);
        return work(...args);
      }
    };
  const freeing = <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Work<Args, Result> =>
    withReserve({ reserve, use: "delete" }, folding(work));
  const waiting = <Args extends readonly unknown[], Result>(work: Work<Args, Result>): Work<Args, Result> =>
    withReserve({ reserve, use: "wait" }, folding(work));

  const { datasets, uploads, jobs, indices, garbage, renditions, idempotency, duties } = metadata;
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
    duties: { ...duties, hold: folding(duties.hold) },
    renditions: { ...renditions, evict: freeing(renditions.evict), remove: freeing(renditions.remove) },
    idempotency: { ...idempotency, release: folding(idempotency.release), sweep: freeing(idempotency.sweep) },
    jobs: {
      ...jobs,
      cancel: freeing(jobs.cancel),
      // A job must be claimed to find out that it has to wait, and to say so.
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
