import { collectDefaultMetrics, Registry } from "prom-client";
import type { Settings } from "./config.ts";
import { createLog } from "./log.ts";
import { createMeter } from "./metrics/meter.ts";
import { registerSamples } from "./metrics/samples.ts";
import { settleModel } from "./models.ts";
import { leaseEnder } from "./recovery.ts";
import { registerWorkerMetrics } from "./pipeline/process/metrics.ts";
import { type SupervisionPace, startSupervisor } from "./pipeline/process/supervisor.ts";
import { sampleDisk } from "./sample-disk.ts";
import { closeToOthers } from "./storage/private-folder.ts";
import { workerEntry } from "./worker-entry.ts";
import { closeStores, openStores } from "./stores.ts";

export interface RunningWorker {
  /** What /metrics of a server shows, but for requests: this worker, the queue, the disk. */
  readonly registry: Registry;
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
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meter = createMeter(registry);
  // Other workers use the same stores, perhaps in other containers; their temporary files are not swept.
  const supervisor = startSupervisor({
    entry: workerEntry,
    settings,
    claimJobs: true,
    sweepTemporary: false,
    expireLeases: leaseEnder(stores),
    meter,
    log,
    pace,
  });
  registerWorkerMetrics(registry, supervisor);
  registerSamples(registry, {
    metadata: stores.metadata,
    disk: () => sampleDisk(settings.dataDir),
    cacheBytes: settings.cacheBytes,
    clock: Date.now,
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
  return { registry, close };
}
