import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedIndex } from "../../../domain/ports/packs.ts";
import type { JobContext } from "../context.ts";
import { afterFailure, pauseAfter } from "../failures.ts";
import { logFault } from "../../../logging/log-fault.ts";
import type { IndexingRun } from "./claimed-index.ts";
import { makeIndex, rebuildIndex } from "./fill-index.ts";
import { holdLease, LeaseLost, leaseMs } from "../lease.ts";

interface Reembedder {
  /** Looks for work at once, because the pack in use may have changed. */
  wake(): void;
  /** Interrupts running work and gives it back. */
  stop(): Promise<void>;
}

interface Options {
  /** Identifies this run of the worker process. */
  readonly owner: string;
  /** Maximum datasets that are moved to another pack at the same time. */
  readonly concurrency: number;
  /** Whether users' jobs are running. */
  readonly isBusy: () => boolean;
  /** Whether this worker is the one that removes unused indices and looks for damage. */
  readonly cleansUp: () => boolean;
}

/** Interval at which to check for a change of the pack, which is rare, if no message wakes the worker. */
const pollMs = 1_000;
/** Interval at which to check whether users' jobs are done. */
const lookMs = 200;
/** Maximum wait for users' jobs, after which some pages are embedded anyway, so that re-embedding is not postponed forever. */
const maxPauseMs = 30_000;
/** Maximum concurrent rebuilds from features, which write their rows together. */
const rebuildsAtOnce = 8;
/** Maximum duration of a search that began before a dataset was moved and may still read its old index. */
const staleMs = 10_000;

/**
 * Re-embeds datasets that are indexed with a different pack than the one in use, when no users' jobs are running, and removes
 * their old indices. Searches use a dataset's old index until the new one is complete. Pages whose rows were lost are embedded
 * again.
 */
export function startReembedding(context: JobContext, { owner, concurrency, isBusy, cleansUp }: Options): Reembedder {
  const stopping = new AbortController();
  const work: Reembedding = {
    context,
    owner,
    stopping: stopping.signal,
    turn: (signal) => untilIdle(isBusy, signal),
  };
  let wakeUp = Promise.withResolvers<void>();
  const wake = (): void => {
    wakeUp.resolve();
    wakeUp = Promise.withResolvers();
  };

  /** Repeats the step at once while there is something to do, otherwise after a pause. */
  async function loop(step: () => Promise<boolean>): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = wakeUp.promise;
      try {
        if (await step()) continue;
      } catch (cause) {
        if (!stopping.signal.aborted)
          logFault(context.log, "error", { err: cause }, "re-embedding of datasets failed; trying again");
      }
      const poll = new AbortController();
      await Promise.race([woken, sleep(pollMs, undefined, { signal: poll.signal }).catch(() => undefined)]);
      poll.abort();
    }
  }

  /**
   * Whether datasets are being moved to another pack: the old pack remains in the list until all its data is gone. Reading the
   * list takes no lock.
   */
  const isChanging = async (): Promise<boolean> => (await context.metadata.packs.list()).length > 1;
  const whenChanging = (step: () => Promise<boolean>) => async (): Promise<boolean> => (await isChanging()) && step();
  const whenInCharge = (step: () => Promise<boolean>) => async (): Promise<boolean> => cleansUp() && step();

  const loops = [
    loop(whenInCharge(whenChanging(() => clearAway(context)))),
    loop(whenInCharge(startLooking(context))),
    ...Array.from({ length: concurrency }, () => loop(whenChanging(() => reembedNext(work)))),
    ...Array.from({ length: rebuildsAtOnce }, () => loop(() => rebuildNext(work))),
  ];

  return {
    wake,
    async stop() {
      stopping.abort(new Error("the worker is stopping"));
      wake();
      await Promise.all(loops);
    },
  };
}

/** The state that all steps of a re-embedder share. */
interface Reembedding {
  readonly context: JobContext;
  readonly owner: string;
  readonly stopping: AbortSignal;
  /** Waits while users' jobs are running. */
  turn(signal: AbortSignal): Promise<void>;
}

async function untilIdle(isBusy: () => boolean, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const until = performance.now() + maxPauseMs;
  while (isBusy() && performance.now() < until) await sleep(lookMs, undefined, { signal });
}

/** Moves the next dataset to the pack in use. Returns false if there is none. */
async function reembedNext(work: Reembedding): Promise<boolean> {
  const { context, owner, stopping } = work;
  const { metadata, packFolders, clock, log } = context;
  const inUse = (await metadata.packs.list()).find((pack) => pack.isInUse);
  // A worker on a machine without the pack leaves the datasets to workers that have it.
  if (inUse === undefined || (await packFolders.find(inUse.id)) === undefined) return false;
  await work.turn(stopping);
  const claimed = await metadata.indices.claim(owner, leaseMs, clock());
  if (claimed === undefined) return false;
  const { lease } = claimed;
  await underClaim(work, claimed, settleFailure, async (run) => {
    await makeIndex(context, claimed, run);
    const outcome = await metadata.indices.complete(lease, clock() + staleMs);
    log.info({ datasetId: lease.datasetId, pack: lease.pack, outcome }, "dataset re-embedded");
  });
  return true;
}

/** Refills the next index whose rebuild was requested. Returns false if there is none. */
async function rebuildNext(work: Reembedding): Promise<boolean> {
  const { context, owner } = work;
  const { metadata, log } = context;
  if (!(await metadata.indices.hasRenewals())) return false;
  const claimed = await metadata.indices.claimRebuild(owner, leaseMs);
  if (claimed === undefined) return false;
  const { datasetId, pack } = claimed.lease;
  await underClaim(work, claimed, rebuildLater, async (run) => {
    await rebuildIndex(context, claimed, run);
    const renewed =
      claimed.how === "said" ? "the dataset is found by what is said of it now" : "the dataset's index is whole again";
    log.info({ datasetId, pack, how: claimed.how }, renewed);
  });
  return true;
}

async function underClaim(
  { context, stopping, turn }: Reembedding,
  claimed: ClaimedIndex,
  onFailure: (context: JobContext, claimed: ClaimedIndex, cause: unknown) => Promise<void>,
  work: (run: IndexingRun) => Promise<void>,
): Promise<void> {
  const { metadata, tracing } = context;
  const { lease } = claimed;
  const held = holdLease(metadata.indices, lease);
  const signal = AbortSignal.any([held.lost, stopping]);
  const { datasetId, pack } = lease;
  try {
    await tracing.goOn(null, "reembed", { datasetId, pack }, () =>
      work({ held, signal, abort: stopping, turn: () => turn(signal) }),
    );
  } catch (cause) {
    if (held.lost.aborted || cause instanceof LeaseLost) return;
    if (stopping.aborted) return await metadata.indices.release(lease);
    await onFailure(context, claimed, cause);
  } finally {
    held.stop();
  }
}

/** Postpones a dataset that was not re-embedded, or lets it keep its present pack. */
async function settleFailure(
  { metadata, clock, log }: JobContext,
  { lease, tries }: ClaimedIndex,
  cause: unknown,
): Promise<void> {
  const { datasetId, pack } = lease;
  const next = afterFailure(cause, tries);
  if (next.pauseMs === undefined) {
    log.error({ err: cause, datasetId, pack }, "dataset not re-embedded: it stays with its pack");
    await metadata.indices.fail(lease, next.reason, clock());
    return;
  }
  logFault(log, "warn", { err: cause, datasetId, pack, tries }, "dataset not re-embedded; trying again");
  await metadata.indices.postpone(lease, next.pauseMs);
}

/** Postpones a rebuild. It is retried until it succeeds, because the dataset has no other index. */
async function rebuildLater(
  { metadata, log }: JobContext,
  { lease, tries }: ClaimedIndex,
  cause: unknown,
): Promise<void> {
  logFault(
    log,
    "warn",
    { err: cause, datasetId: lease.datasetId, tries },
    "the index was not filled again; trying again",
  );
  await metadata.indices.postpone(lease, pauseAfter(tries));
}

/** Interval of checks for features without rows in an index table. */
const unlistedMs = 10_000;

/**
 * Requests the rebuild of indices whose features have no rows in an index table, which happens after a restore or a move. The
 * returned step always returns false.
 */
function startLooking({ metadata, log }: Pick<JobContext, "metadata" | "log">): () => Promise<boolean> {
  let lookedAt = -Infinity;
  return async () => {
    if (performance.now() - lookedAt < unlistedMs) return false;
    lookedAt = performance.now();
    const entered = await metadata.indices.enterUnlisted();
    if (entered > 0) log.info({ datasets: entered }, "datasets are not in the index; they are entered");
    return false;
  };
}

/** Maximum indices per transaction, which then takes some milliseconds. */
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
