import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import { type Api, createApi } from "./api.ts";
import type { Settings } from "./settings/settings.ts";
import type { Domain } from "./domain/domain.ts";
import { orAborted } from "./domain/or-aborted.ts";
import { warmUpSearch } from "./ranking/warm-up.ts";
import { type Credentials, prepareCredentials } from "./startup/credentials.ts";
import { turnTelemetryOff } from "./embedding/onnxruntime.ts";
import { settleModel } from "./startup/model.ts";
import { createLog, openLogFile } from "./logging/log.ts";
import { createMeter } from "./metrics/meter.ts";
import { registerSamples } from "./metrics/samples.ts";
import { timeStores } from "./metrics/timed-stores.ts";
import { registerWorkerMetrics } from "./pipeline/process/metrics.ts";
import { startSupervisor, type SupervisionPace, type Supervisor } from "./pipeline/process/supervisor.ts";
import { sampleDisk } from "./health/sample-disk.ts";
import { refillReserve, startPeriodicTasks } from "./startup/periodic-tasks.ts";
import { type FolderLock, lockDataDir } from "./storage/lock.ts";
import { proofOf } from "./storage/owner-proof.ts";
import { leaseEnder, recover } from "./startup/recovery.ts";
import { isShared } from "./startup/storage-mode.ts";
import { closeStores, openStores, type Stores } from "./stores.ts";
import { startTracing } from "./tracing/start.ts";
import { traceBlobs } from "./tracing/traced-blobs.ts";
import { workerEntry } from "./worker-entry.ts";
import { warnOfGivenUp } from "./startup/warn-of-given-up.ts";

export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  /** Undefined on stores that other processes share, unless this one made the first key or was asked for a new one. */
  readonly credentials: Credentials | undefined;
  /**
   * Drains: says that it is not ready and goes on answering for the delay of the settings; then requests end. Meanwhile the
   * worker finishes its pages and gives its jobs back.
   */
  close(): Promise<void>;
}

/** How long the worker has to give its jobs back. */
const workerGraceMs = 5_000;

export interface ServeOptions {
  /** False: the worker only renders and embeds queries. Default: true. */
  readonly claimJobs?: boolean;
  /** Make a new key with every scope and leave it in the data folder. Default: false. */
  readonly newKey?: boolean;
  /** The data folder's lock, if the caller has it already. It is released when the server is closed or does not start. */
  readonly lock?: FolderLock;
  /** Do ahead what the first requests would wait for. Default: true. */
  readonly warmUp?: boolean;
  /** Where the log goes, of the worker as well; default: stderr. */
  readonly logFile?: string;
  /** Time limits of the supervisor; set by tests. */
  readonly pace?: Partial<SupervisionPace>;
}

/**
 * Starts the service: API in this process, worker in a child process. Throws if the data folder is in use or a setting
 * cannot be honoured.
 */
export async function serve(settings: Settings, options: ServeOptions = {}): Promise<RunningServer> {
  // Questions are embedded in this process. Later, other threads may be reading its environment.
  turnTelemetryOff();
  const lock = options.lock ?? lockDataDir(settings.dataDir);
  let onGivenUp: ReturnType<typeof warnOfGivenUp> | undefined;
  try {
    const stores = await openStores(settings, {
      sweepTemporary: true,
      onIndexGivenUp: (...given) => onGivenUp?.(...given),
    });
    // Not before: a folder that this version cannot use stays as it is.
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
  const timed = timeStores(opened, meter);
  const stores = { ...timed, blobs: traceBlobs(timed.blobs, tracing) };
  const { metadata, clock } = stores;
  const shared = isShared(settings);
  if (!shared) {
    // The data folder is locked, so every server that was receiving an upload has ended; workers of this host may live.
    await refillReserve(stores, log);
    await recover(stores);
  }
  await settleModel(stores, { ...settings, isShared: shared });

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
  registerSamples(registry, {
    // Not the timed ones: what a scrape costs is no work of the service.
    metadata: opened.metadata,
    disk: () => sampleDisk(settings.dataDir),
    cacheBytes: settings.cacheBytes,
    clock,
  });
  const tasks = startPeriodicTasks({ stores, api, keepsReserve: !shared, log });
  const warming = new AbortController();
  let warmed: Promise<void> | undefined;
  let url: string | undefined;
  const close = async (): Promise<void> => {
    warming.abort();
    lock.withdraw();
    // Nobody can have seen a server that never listened.
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
    // A receiver that does not answer keeps no other server from the folder.
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
    if (warmUp) {
      // Not the timed stores: it is no work of the service.
      warmed = doAhead(api, { ...domain, ...opened }, supervisor, warming.signal).catch((cause: unknown) => {
        if (!warming.signal.aborted) log.debug({ err: cause }, "the service was not warmed up");
      });
    }
    return { url, credentials, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

/** What the first requests would wait for, once the worker is there: its start goes first. */
async function doAhead(
  { transport }: Api,
  domain: Domain,
  { started }: Pick<Supervisor, "started">,
  signal: AbortSignal,
): Promise<void> {
  await orAborted(started, signal);
  await transport.warmUp(signal);
  await warmUpSearch(domain, signal);
}
