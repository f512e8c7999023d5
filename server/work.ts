import type { Settings } from "./config.ts";
import { createLog } from "./log.ts";
import { settleModel } from "./models.ts";
import { newOwner } from "./domain/processes.ts";
import { startWorker } from "./pipeline/worker.ts";
import { closeToOthers } from "./storage/private-folder.ts";
import { closeStores, openStores } from "./stores.ts";

export interface RunningWorker {
  /** Gives unfinished jobs back and ends. */
  close(): Promise<void>;
}

/** `drs worker`: a worker without an API process, on the same stores. */
export async function work(settings: Settings): Promise<RunningWorker> {
  const log = createLog(settings.log, "worker");
  for (const { level, message } of closeToOthers(settings.dataDir)) log[level](message);
  const stores = await openStores(settings, { writesOnly: true });
  // The server decides which pack is in use; a worker that starts before it settles with what there is.
  await settleModel(stores, { ...settings, model: undefined });
  const worker = await startWorker(stores, settings, { owner: newOwner(), claimJobs: true, log });
  return {
    async close() {
      await worker.stop();
      await closeStores(stores);
    },
  };
}
