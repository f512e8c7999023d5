import type { Logger } from "pino";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import type { VectorStore } from "../../../domain/ports/vector-store.ts";
import { logFault } from "../../../logging/log-fault.ts";
import { startLeaderLease } from "./leader-lease.ts";
import { type Maintenance, startMaintenance } from "./maintenance.ts";
import { dayOf, daysBefore, maxHistoryDays } from "../../../domain/usage/usage.ts";
import type { BlobStore } from "../../../domain/ports/blobs.ts";

/** Tasks of the leading worker, which maintains the index and the database, removes garbage, and records storage usage. */
export interface Upkeep {
  /** Whether this worker leads. */
  isHeld(): boolean;
  /** Maintenance of the index. If another worker leads, that worker does it, and `onDone` is not called. */
  readonly index: Pick<Maintenance, "request">;
  /** Maintenance of the database. */
  readonly rows: Pick<Maintenance, "request">;
  /** Hands the tasks over to another worker. */
  giveBack(): Promise<void>;
  /** Hands the tasks over and ends the running rounds. */
  stop(): Promise<void>;
}

interface Options {
  /** Identifies this run of the worker process. */
  readonly owner: string;
  /** A worker that claims no jobs never leads. */
  readonly claimJobs: boolean;
  readonly log: Logger;
}

/** Interval at which unused request rates are deleted. */
const forgetMs = 600_000;

export function startUpkeep(
  { metadata, vectors }: { readonly metadata: Metadata; readonly vectors: Pick<VectorStore, "maintain"> },
  { owner, claimJobs, log }: Options,
): Upkeep {
  const lease = claimJobs
    ? startLeaderLease(metadata.leaderLeases, {
        name: "upkeep",
        holder: owner,
        onRequested: () => index.request(),
        log,
      })
    : undefined;
  const isHeld = (): boolean => lease?.isHeld() ?? false;
  const index = startMaintenance(
    async () => {
      if (isHeld()) return vectors.maintain();
      // This worker has lost the lease since the request.
      lease?.request();
    },
    { name: "index", log },
  );
  const rows = startMaintenance(
    async (signal) => {
      if (isHeld()) await metadata.reclaim(signal);
    },
    { name: "database", log },
  );
  const forgetting = setInterval(() => {
    if (isHeld()) metadata.rates.sweep().catch((err: unknown) => logFault(log, "warn", { err }, "rates not forgotten"));
  }, forgetMs);
  const endHistory = startUsageHistory(metadata, { isHeld, log });
  return {
    isHeld,
    index: {
      request(onDone) {
        if (!isHeld()) return lease?.request();
        // If another worker continues, the maintenance is not done yet.
        index.request(onDone && (() => isHeld() && onDone()));
      },
    },
    rows,
    giveBack: async () => lease?.stop(),
    async stop() {
      clearInterval(forgetting);
      await endHistory();
      await lease?.stop();
      await index.stop();
      await rows.stop();
    },
  };
}

/** Interval of recording, and thereby the precision of a day's final usage. */
const recordMs = 600_000;
/** Interval at which a worker checks whether recording is due and it leads. */
const checkMs = 60_000;

/** Records the current storage usage for the current day, by the store's clock. */
export async function noteUsage({ usage, now }: Pick<Metadata, "usage" | "now">): Promise<void> {
  const time = await now();
  await usage.noteDay(dayOf(time), daysBefore(time, maxHistoryDays - 1));
}

/** Records usage while this worker leads. Returns a function that ends this. */
function startUsageHistory(
  metadata: Pick<Metadata, "usage" | "now">,
  { isHeld, log }: { readonly isHeld: () => boolean; readonly log: Logger },
): () => Promise<void> {
  let notedAt = -Infinity;
  let round = Promise.resolve();
  const timer = setInterval(() => {
    if (!isHeld() || performance.now() - notedAt < recordMs) return;
    notedAt = performance.now();
    round = noteUsage(metadata).catch((err: unknown) => logFault(log, "warn", { err }, "usage not written down"));
  }, checkMs);
  return async () => {
    clearInterval(timer);
    await round;
  };
}

/** Interval of removals. Leftovers are removed when they are a day old, so a quarter of an hour more does not matter. */
const abandonedMs = 900_000;

interface AbandonedOptions {
  readonly blobs: Pick<BlobStore, "removeAbandoned">;
  /** Whether this worker is the one that removes leftovers. */
  readonly isDue: () => boolean;
  readonly clock: () => number;
  readonly log: Logger;
}

/** Periodically removes leftovers of interrupted writes from the blob store. */
export function startAbandonedRemoval({ blobs, isDue, clock, log }: AbandonedOptions): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const round = (): void => {
    if (!isDue()) return;
    running = blobs
      .removeAbandoned(clock())
      .catch((cause: unknown) => logFault(log, "warn", { err: cause }, "abandoned uploads not removed; trying again"));
  };
  const timer = setInterval(round, abandonedMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
