import type { Settings } from "./config.ts";
import { createLog } from "./log.ts";
import { settleModel } from "./models.ts";
import { leaseEnder } from "./recovery.ts";
import { type SupervisionPace, startSupervisor } from "./pipeline/process/supervisor.ts";
import { closeToOthers } from "./storage/private-folder.ts";
import { workerEntry } from "./worker-entry.ts";
import { closeStores, openStores } from "./stores.ts";

export interface RunningWorker {
  /** Gives unfinished jobs back and ends. */
  close(): Promise<void>;
}

/** How long the worker has to give its jobs back. */
const graceMs = 10_000;

/**
 * `drs worker`: a supervised worker without an API process, on the same stores. Throws if a setting cannot be honoured or
 * the worker does not start.
 */
export async function work(settings: Settings, pace?: Partial<SupervisionPace>): Promise<RunningWorker> {
  const log = createLog(settings.log, "supervisor");
  for (const { level, message } of closeToOthers(settings.dataDir)) log[level](message);
  const stores = await openStores(settings, { writesOnly: true });
  // The server decides which pack is in use; on stores without any it is the built-in one.
  await settleModel(stores, { ...settings, model: undefined, isShared: true });
  // Other workers use the same stores, perhaps in other containers; their temporary files are not swept.
  const supervisor = startSupervisor({
    entry: workerEntry,
    settings,
    claimJobs: true,
    sweepTemporary: false,
    expireLeases: leaseEnder(stores),
    log,
    pace,
  });
  const close = async (): Promise<void> => {
    await supervisor.stop(graceMs);
    await closeStores(stores);
  };
  try {
    await supervisor.started;
  } catch (cause) {
    await close();
    throw cause;
  }
  return { close };
}
