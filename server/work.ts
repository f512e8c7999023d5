import { collectDefaultMetrics, Registry } from "prom-client";
import type { Settings } from "./settings/settings.ts";
import { type HealthServer, startHealthServer } from "./health/health-server.ts";
import { createLog } from "./logging/log.ts";
import { createMeter } from "./metrics/meter.ts";
import { registerSamples } from "./metrics/samples.ts";
import { settleModel } from "./startup/model.ts";
import { probesOf, createReadiness } from "./health/readiness.ts";
import { leaseEnder } from "./startup/recovery.ts";
import { registerWorkerMetrics } from "./pipeline/process/metrics.ts";
import { type SupervisionTimeouts, startSupervisor } from "./pipeline/process/supervisor.ts";
import { sampleDisk } from "./storage/ballast-file.ts";
import { closeToOthers } from "./storage/private-folder.ts";
import { workerEntry } from "./worker-entry.ts";
import { closeStores, openStores } from "./stores.ts";

export interface RunningWorker {
  /** The URL of its health checks; undefined if the settings name no port for them. */
  readonly healthUrl: string | undefined;
  /** Drains the worker: it finishes its current pages, returns unfinished jobs and ends, within half a minute. */
  close(): Promise<void>;
}

/** The time for finishing current pages. Together with `graceMs` it is less than process managers wait. */
const drainMs = 20_000;
/** The time that the worker then has to end. */
const graceMs = 5_000;

/**
 * Starts `drs worker`: a supervised worker without an API process, on the same stores. Throws if a setting cannot be used or
 * the worker does not start.
 */
export async function work(settings: Settings, pace?: Partial<SupervisionTimeouts>): Promise<RunningWorker> {
  const log = createLog(settings.log, "supervisor");
  for (const { level, message } of closeToOthers(settings.dataDir)) log[level](message);
  const stores = await openStores(settings, { writesOnly: true });
  // The server decides which pack is in use; on stores without any it is the built-in one.
  await settleModel(stores, { ...settings, model: undefined, isShared: true });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const meter = createMeter(registry);
  // Other workers may use the same stores from other containers; their temporary files are not swept.
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
    clock: stores.clock,
  });
  const readiness = createReadiness({
    probes: {
      ...probesOf(stores, supervisor),
    },
    log,
  });
  let health: HealthServer | undefined;
  const close = async (): Promise<void> => {
    readiness.report("drain", "shutting down");
    log.info("finishing the pages in progress");
    await supervisor.giveBack(drainMs);
    await supervisor.stop(graceMs);
    await health?.close();
    await closeStores(stores);
  };
  try {
    const { host, healthPort: port } = settings;
    // Started without waiting for the worker: until the worker is ready, the health server answers that it is not.
    if (port !== undefined) health = await startHealthServer({ host, port, readiness: readiness.check, registry });
    await supervisor.started;
  } catch (cause) {
    await close();
    throw cause;
  }
  return { healthUrl: health?.url, close };
}
