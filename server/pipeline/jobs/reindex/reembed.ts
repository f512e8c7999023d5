import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedIndex } from "../../../domain/ports/packs.ts";
import type { JobContext } from "../context.ts";
import { clearAway } from "./clear-indices.ts";
import { afterFailure, pauseAfter } from "../failures.ts";
import { logFault } from "../../../log-fault.ts";
import type { IndexingRun } from "./claimed-index.ts";
import { startLooking } from "./look.ts";
import { makeIndex } from "./make-index.ts";
import { rebuildIndex } from "./rebuild.ts";
import { holdLease, LeaseLost, leaseMs } from "../lease.ts";

export interface Reembedder {
  /** Look now: the pack in use may have changed. */
  wake(): void;
  /** Interrupts what is at work and gives it back. */
  stop(): Promise<void>;
}

interface Options {
  /** Names this run of the worker process. */
  readonly owner: string;
  /** Datasets that change their pack at the same time. */
  readonly concurrency: number;
  /** Whether users' jobs are at work. */
  readonly isBusy: () => boolean;
  /** Whether this worker is the one that removes what indices leave behind, and looks for damage. */
  readonly cleansUp: () => boolean;
}

/** How often it is checked whether the pack has changed when no message wakes the worker: it seldom does. */
const pollMs = 1_000;
/** How often it is looked whether users' jobs are done. */
const lookMs = 200;
/** Jobs that never pause must not postpone this for ever: after so long some pages are embedded all the same. */
const maxPauseMs = 30_000;
/** Datasets that are made again of their features at the same time: their rows are written together. */
const rebuildsAtOnce = 8;
/** A search that began before a dataset changed may still ask its old index; it takes no longer than this. */
const staleMs = 10_000;

/**
 * Re-embeds datasets that are indexed with another pack than the one in use, after users' jobs, and removes what they
 * leave behind. Until its new index is complete a dataset is served from the old one. Pages whose rows were lost are
 * embedded again.
 */
export function startReembedding(context: JobContext, { owner, concurrency, isBusy, cleansUp }: Options): Reembedder {
  const { metadata, packFolders, clock, log, tracing } = context;
  const stopping = new AbortController();
  let wakeUp = Promise.withResolvers<void>();

  /** Waits while users' jobs are at work. */
  async function turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const until = performance.now() + maxPauseMs;
    while (isBusy() && performance.now() < until) await sleep(lookMs, undefined, { signal });
  }

  async function next(): Promise<boolean> {
    const inUse = (await metadata.packs.list()).find((pack) => pack.isInUse);
    // A worker on a machine without the pack leaves the datasets to those that have it.
    if (inUse === undefined || (await packFolders.find(inUse.id)) === undefined) return false;
    await turn(stopping.signal);
    const claimed = await metadata.indices.claim(owner, leaseMs, clock());
    if (claimed === undefined) return false;
    await change(claimed);
    return true;
  }

  async function change(claimed: ClaimedIndex): Promise<void> {
    const { lease } = claimed;
    await underClaim(claimed, endEarly, async (run) => {
      await makeIndex(context, claimed, run);
      const outcome = await metadata.indices.complete(lease, clock() + staleMs);
      log.info({ datasetId: lease.datasetId, pack: lease.pack, outcome }, "dataset re-embedded");
    });
  }

  async function rebuildNext(): Promise<boolean> {
    if (!(await metadata.indices.hasRenewals())) return false;
    const claimed = await metadata.indices.claimRebuild(owner, leaseMs);
    if (claimed === undefined) return false;
    const { datasetId, pack } = claimed.lease;
    await underClaim(claimed, rebuildLater, async (run) => {
      await rebuildIndex(context, claimed, run);
      const renewed =
        claimed.how === "said"
          ? "the dataset is found by what is said of it now"
          : "the dataset's index is whole again";
      log.info({ datasetId, pack, how: claimed.how }, renewed);
    });
    return true;
  }

  async function underClaim(
    claimed: ClaimedIndex,
    onFailure: (claimed: ClaimedIndex, cause: unknown) => Promise<void>,
    work: (run: IndexingRun) => Promise<void>,
  ): Promise<void> {
    const { lease } = claimed;
    const held = holdLease(metadata.indices, lease);
    const signal = AbortSignal.any([held.lost, stopping.signal]);
    const { datasetId, pack } = lease;
    try {
      await tracing.goOn(null, "reembed", { datasetId, pack }, () =>
        work({ held, signal, abort: stopping.signal, turn: () => turn(signal) }),
      );
    } catch (cause) {
      if (held.lost.aborted || cause instanceof LeaseLost) return;
      if (stopping.signal.aborted) return await metadata.indices.release(lease);
      await onFailure(claimed, cause);
    } finally {
      held.stop();
    }
  }

  async function endEarly({ lease, tries }: ClaimedIndex, cause: unknown): Promise<void> {
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

  /** The dataset has no other index to be served from: it is tried until it succeeds. */
  async function rebuildLater({ lease, tries }: ClaimedIndex, cause: unknown): Promise<void> {
    logFault(
      log,
      "warn",
      { err: cause, datasetId: lease.datasetId, tries },
      "the index was not filled again; trying again",
    );
    await metadata.indices.postpone(lease, pauseAfter(tries));
  }

  /** Another pack than the one in use is known only until everything of it is gone; reading that takes no lock. */
  const isChanging = async (): Promise<boolean> => (await metadata.packs.list()).length > 1;

  const whenChanging = (step: () => Promise<boolean>) => async (): Promise<boolean> => (await isChanging()) && step();

  const whenInCharge = (step: () => Promise<boolean>) => async (): Promise<boolean> => cleansUp() && step();

  /** Repeats the step while there is something to do, and else after a pause. */
  async function loop(step: () => Promise<boolean>): Promise<void> {
    while (!stopping.signal.aborted) {
      const woken = wakeUp.promise;
      try {
        if (await step()) continue;
      } catch (cause) {
        if (!stopping.signal.aborted)
          logFault(log, "error", { err: cause }, "re-embedding of datasets failed; trying again");
      }
      const poll = new AbortController();
      await Promise.race([woken, sleep(pollMs, undefined, { signal: poll.signal }).catch(() => undefined)]);
      poll.abort();
    }
  }

  const wake = (): void => {
    wakeUp.resolve();
    wakeUp = Promise.withResolvers();
  };
  const look = startLooking(context);
  const loops = [
    loop(whenInCharge(whenChanging(() => clearAway(context)))),
    loop(whenInCharge(look)),
    ...Array.from({ length: concurrency }, () => loop(whenChanging(next))),
    ...Array.from({ length: rebuildsAtOnce }, () => loop(rebuildNext)),
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
