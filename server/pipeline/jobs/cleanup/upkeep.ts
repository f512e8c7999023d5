import type { Logger } from "pino";
import type { Metadata } from "../../../domain/ports/metadata.ts";
import type { VectorStore } from "../../../domain/ports/vector-store.ts";
import { logFault } from "../../../log-fault.ts";
import { takeDuty } from "./duty.ts";
import { type Maintenance, startMaintenance } from "./maintenance.ts";
import { startUsageHistory } from "./usage-history.ts";

/** What one worker at a time does for all: it maintains index and database, removes what is due, and writes down what is stored. */
export interface Upkeep {
  /** Whether that is this worker. */
  isHeld(): boolean;
  /** Of the index; another worker does it if that one is in charge, and then nothing is called when it is done. */
  readonly index: Pick<Maintenance, "request">;
  /** Of the database. */
  readonly rows: Pick<Maintenance, "request">;
  /** Leaves it to another worker. */
  giveBack(): Promise<void>;
  /** Also ends the rounds that are under way. */
  stop(): Promise<void>;
}

interface Options {
  /** This run of the worker process. */
  readonly owner: string;
  /** A worker that claims no jobs does none of it either. */
  readonly claimJobs: boolean;
  readonly log: Logger;
}

/** How often rates that nobody uses are forgotten. */
const forgetMs = 600_000;

export function startUpkeep(
  { metadata, vectors }: { readonly metadata: Metadata; readonly vectors: Pick<VectorStore, "maintain"> },
  { owner, claimJobs, log }: Options,
): Upkeep {
  const duty = claimJobs
    ? takeDuty(metadata.duties, { name: "upkeep", holder: owner, onRequested: () => index.request(), log })
    : undefined;
  const isHeld = (): boolean => duty?.isHeld() ?? false;
  const index = startMaintenance(
    async () => {
      if (isHeld()) return vectors.maintain();
      // Lost since it was asked for.
      duty?.request();
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
        if (!isHeld()) return duty?.request();
        // What another worker goes on with is not done yet.
        index.request(onDone && (() => isHeld() && onDone()));
      },
    },
    rows,
    giveBack: async () => duty?.stop(),
    async stop() {
      clearInterval(forgetting);
      await endHistory();
      await duty?.stop();
      await index.stop();
      await rows.stop();
    },
  };
}
