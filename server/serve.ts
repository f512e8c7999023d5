import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import { type Api, createApi } from "./api.ts";
import type { Settings } from "./settings/settings.ts";
import type { Clock } from "./domain/clock.ts";
import type { Domain } from "./domain/domain.ts";
import { orAborted } from "./domain/or-aborted.ts";
import type { Meter } from "./domain/ports/meter.ts";
import type { Tracing } from "./domain/ports/tracing.ts";
import { warmUpSearch } from "./ranking/warm-up.ts";
import { type Credentials, prepareCredentials } from "./startup/credentials.ts";
import { turnTelemetryOff } from "./embedding/onnxruntime.ts";
import { settleModel } from "./startup/model.ts";
import { createLog, openLogFile } from "./logging/log.ts";
import { createMeter } from "./metrics/meter.ts";
import { registerSamples } from "./metrics/samples.ts";
import { timeStores } from "./metrics/timed-stores.ts";
import { registerWorkerMetrics } from "./pipeline/process/metrics.ts";
import { startSupervisor, type SupervisionTimeouts, type Supervisor } from "./pipeline/process/supervisor.ts";
import { sampleDisk } from "./storage/ballast-file.ts";
import { refillReserve, startPeriodicTasks } from "./startup/periodic-tasks.ts";
import { type FolderLock, lockDataDir } from "./storage/lock.ts";
import { proofOf } from "./storage/owner-proof.ts";
import { leaseEnder, recover } from "./startup/recovery.ts";
import { isShared } from "./startup/storage-mode.ts";
import { closeStores, openStores, type Stores, warnOfGivenUp } from "./stores.ts";
import { startTracing, traceBlobs } from "./tracing/start.ts";
import { workerEntry } from "./worker-entry.ts";

export interface RunningServer {
  /** The URL on which it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  /** Undefined on shared stores, unless this process created the first key or was asked for a new one. */
  readonly credentials: Credentials | undefined;
  /**
   * Drains the server: it reports that it is not ready and keeps answering for the delay of the settings; then it ends
   * requests. Meanwhile the worker finishes its pages and returns its jobs.
   */
  close(): Promise<void>;
}

/** The time that the worker has to return its jobs. */
const workerGraceMs = 5_000;

export interface ServeOptions {
  /** False if the worker only renders pages and embeds queries. Default: true. */
  readonly claimJobs?: boolean;
  /** Whether to create a key with every scope and store it in the data folder. Default: false. */
  readonly newKey?: boolean;
  /** The data folder's lock, if the caller holds it already. It is released when the server is closed or does not start. */
  readonly lock?: FolderLock;
  /** Whether to prepare ahead what the first requests would wait for. Default: true. */
  readonly warmUp?: boolean;
  /** The log file, also of the worker; default: stderr. */
  readonly logFile?: string;
  /** Time limits of the supervisor; set by tests. */
  readonly pace?: Partial<SupervisionTimeouts>;
}

/**
 * Starts the service: API in this process, worker in a child process. Throws if the data folder is in use or a setting
 * cannot be honoured.
 */
export async function serve(settings: Settings, options: ServeOptions = {}): Promise<RunningServer> {
  // This process embeds questions. Telemetry is turned off now, because later other threads may read the environment.
  turnTelemetryOff();
  const lock = options.lock ?? lockDataDir(settings.dataDir);
  let onGivenUp: ReturnType<typeof warnOfGivenUp> | undefined;
  try {
    const stores = await openStores(settings, {
      sweepTemporary: true,
      onIndexGivenUp: (...given) => onGivenUp?.(...given),
    });
    // Opened only now, so that a folder that this version cannot use stays unchanged.
    const logFd = options.logFile === undefined ? undefined : openLogFile(options.logFile);
    const log = createLog(settings.log, "api", logFd);
    onGivenUp = warnOfGivenUp(log);
    for (const { level, message } of lock.notices) log[level](message);
    return await start(stores, settings, {
      claimJobs: options.claimJobs ?? true,
      newKey: options.newKey ?? false,
      warmUp: options.warmUp ?? true,
      log,
      logFd,
      lock,
      ...(options.pace && { pace: options.pace }),
    });
  } catch (cause) {
    lock.release();
    throw cause;
  }
}

interface Start extends Pick<ServeOptions, "pace"> {
  readonly claimJobs: boolean;
  readonly newKey: boolean;
  readonly warmUp: boolean;
  readonly log: Logger;
  readonly logFd: number | undefined;
  readonly lock: FolderLock;
}

async function start(
  opened: Stores,
  settings: Settings,
  { claimJobs, newKey, warmUp, log, logFd, lock, pace }: Start,
): Promise<RunningServer> {
  const registry = new Registry();
  const meter = createMeter(registry);
  const { tracing, close: closeTracing } = await startTracing({ role: "api", log });
  const shared = isShared(settings);
  const stores = await prepareStores(opened, { settings, meter, tracing, log });
  const { metadata, clock } = stores;
  const supervisor = startSupervisor({
    entry: workerEntry,
    settings,
    claimJobs,
    expireLeases: leaseEnder(stores),
    meter,
    tracing,
    log,
    logFd,
    pace,
  });
  const api = await createApi({
    stores,
    untimed: opened,
    settings,
    supervisor,
    proveIdentity: (challenge) => proofOf(lock.secret, challenge),
    meter,
    registry,
    tracing,
    log,
  });
  const { domain, transport, readiness } = api;
  registerWorkerMetrics(registry, supervisor);
  registerStoreSamples(registry, opened, settings, clock);
  const tasks = startPeriodicTasks({ stores, api, keepsReserve: !shared, log });
  const warming = new AbortController();
  let warmed: Promise<void> | undefined;
  let url: string | undefined;
  const close = async (): Promise<void> => {
    warming.abort();
    lock.withdraw();
    // No client can have seen a server that never listened.
    const drainDelayMs = url === undefined ? 0 : settings.drainDelayMs;
    if (url !== undefined) readiness.report("drain", "shutting down");
    const givenBack = supervisor.giveBack(drainDelayMs + workerGraceMs);
    await sleep(drainDelayMs);
    await transport.close();
    await domain.uploadTurns.close();
    await givenBack;
    await supervisor.stop(workerGraceMs);
    await tasks.stop();
    await warmed;
    await closeStores(stores);
    lock.release();
    // A receiver that does not answer must not block the next server of the folder.
    await closeTracing();
  };

  try {
    await tasks.maintainLinks();
    url = await transport.listen(settings.host, settings.port);
    const reissue = newKey ? "always" : shared ? "never" : "if lost";
    const credentials = await prepareCredentials(
      metadata,
      { dataDir: settings.dataDir, server: url, reissue },
      clock(),
    );
    lock.publish(url);
    // The stores without timing, because this is no work of the service.
    if (warmUp) warmed = doAhead(api, { ...domain, ...opened }, { supervisor, signal: warming.signal, log });
    return { url, credentials, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** Registers samples of the untimed stores, because a scrape is not work of the service. */
function registerStoreSamples(registry: Registry, { metadata }: Stores, settings: Settings, clock: Clock): void {
  registerSamples(registry, {
    metadata,
    disk: () => sampleDisk(settings.dataDir),
    cacheBytes: settings.cacheBytes,
    clock,
  });
}

/** Times and traces the stores, cleans up after earlier processes and settles the model pack. */
async function prepareStores(
  opened: Stores,
  {
    settings,
    meter,
    tracing,
    log,
  }: { readonly settings: Settings; readonly meter: Meter; readonly tracing: Tracing; readonly log: Logger },
): Promise<Stores> {
  const timed = timeStores(opened, meter);
  const stores = { ...timed, blobs: traceBlobs(timed.blobs, tracing) };
  const shared = isShared(settings);
  if (!shared) {
    // The data folder is locked, so no other server is receiving an upload; workers of this host may still run.
    await refillReserve(stores, log);
    await recover(stores);
  }
  await settleModel(stores, { ...settings, isShared: shared });
  return stores;
}

/** Prepares what the first requests would wait for, after the worker has started. */
async function doAhead(
  { transport }: Api,
  domain: Domain,
  {
    supervisor,
    signal,
    log,
  }: { readonly supervisor: Pick<Supervisor, "started">; readonly signal: AbortSignal; readonly log: Logger },
): Promise<void> {
  try {
    await orAborted(supervisor.started, signal);
    await transport.warmUp(signal);
    await warmUpSearch(domain, signal);
  } catch (cause) {
    if (!signal.aborted) log.debug({ err: cause }, "the service was not warmed up");
  }
}
