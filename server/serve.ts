import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { Settings } from "./config.ts";
import { type Credentials, prepareCredentials } from "./credentials.ts";
import { createAuthenticate } from "./domain/authenticate.ts";
import type { Domain } from "./domain/domain.ts";
import type { KeyId, MemberId } from "./domain/ids.ts";
import { createJobFeed } from "./domain/jobs/feed.ts";
import { createAttempts } from "./domain/idempotency/attempts.ts";
import { createPacks } from "./domain/models/packs.ts";
import { createLimitsOf } from "./domain/plans/limits-of.ts";
import { createSharedBuckets } from "./domain/rates/shared-buckets.ts";
import { createTokenBuckets } from "./domain/rates/token-buckets.ts";
import { createSearchTurns } from "./domain/search/turns.ts";
import { createShareLinks } from "./domain/shares/links.ts";
import { openShare } from "./domain/shares/open.ts";
import { createStanding } from "./domain/standing.ts";
import { createUploadTurns } from "./domain/uploads/turns.ts";
import { newOwner } from "./domain/processes.ts";
import { createRequestLog } from "./domain/usage/request-log.ts";
import { createUseLog, type UseLog } from "./domain/use-log.ts";
import { createPackFolders } from "./embedding/folders.ts";
import { openPackRegistry } from "./embedding/registry.ts";
import { documentFormats } from "./formats/formats.ts";
import { settleModel } from "./models.ts";
import { logFault } from "./log-fault.ts";
import { createLog, openLogFile } from "./log.ts";
import { createMeter } from "./metrics/meter.ts";
import { readOperatorState } from "./metrics/operator-state.ts";
import { registerSamples } from "./metrics/samples.ts";
import { timeStores } from "./metrics/timed-stores.ts";
import { registerWorkerMetrics } from "./pipeline/process/metrics.ts";
import { startSupervisor, type SupervisionPace } from "./pipeline/process/supervisor.ts";
import { createAllowedAddresses } from "./remote/allowed-addresses.ts";
import { createRemoteFiles } from "./remote/remote-files.ts";
import { probesOf } from "./probes.ts";
import { createReadiness } from "./readiness.ts";
import { sampleDisk } from "./sample-disk.ts";
import { storageFault } from "./storage/disk.ts";
import { type FolderLock, lockDataDir } from "./storage/lock.ts";
import { proofOf } from "./storage/owner-proof.ts";
import { leaseEnder, recover } from "./recovery.ts";
import { isShared } from "./storage-mode.ts";
import { closeStores, openStores, type Stores } from "./stores.ts";
import { createRates } from "./transport/limits/rates.ts";
import { createTransport } from "./transport/server.ts";
import { creations } from "./transport/services/creations.ts";
import { routes, services } from "./transport/services/index.ts";
import { startTracing } from "./tracing/start.ts";
import { traceBlobs } from "./tracing/traced-blobs.ts";
import { workerEntry } from "./worker-entry.ts";

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

/** How often marks of use (keys, members, cached renditions) and counts of requests are written. */
const flushMs = 10_000;
/** How often the key that signs links is looked at: it is due after weeks. */
const maintainLinksMs = 3_600_000;
/** Longer than looking after them takes. */
const linksHoldMs = 60_000;
/** How long the worker has to give its jobs back. */
const workerGraceMs = 5_000;

export interface ServeOptions {
  /** False: the worker only renders and embeds queries. Default: true. */
  readonly claimJobs?: boolean;
  /** Make a new key with every scope and leave it in the data folder. Default: false. */
  readonly newKey?: boolean;
  /** The data folder's lock, if the caller has it already. It is released when the server is closed or does not start. */
  readonly lock?: FolderLock;
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
  const lock = options.lock ?? lockDataDir(settings.dataDir);
  try {
    const stores = await openStores(settings, { sweepTemporary: true });
    // Not before: a folder that this version cannot use stays as it is.
    const logFd = options.logFile === undefined ? undefined : openLogFile(options.logFile);
    const log = createLog(settings.log, "api", logFd);
    for (const { level, message } of lock.notices) log[level](message);
    return await start(stores, settings, {
      claimJobs: options.claimJobs ?? true,
      newKey: options.newKey ?? false,
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
  readonly log: Logger;
  readonly logFd: number | undefined;
  readonly lock: FolderLock;
}

async function start(
  opened: Stores,
  settings: Settings,
  { claimJobs, newKey, log, logFd, lock, pace }: Start,
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
  const packRegistry = openPackRegistry(settings.modelsDir);
  const packFolders = createPackFolders(metadata.packs, settings.modelsDir);
  const keyUses = createUseLog<KeyId>((uses) => metadata.keys.touch(uses));
  const memberUses = createUseLog<MemberId>((uses) => metadata.members.touch(uses));
  const renditionUses = createUseLog<string>((uses) => metadata.renditions.touch(uses));
  const requests = createRequestLog((counts) => metadata.usage.addRequests(counts), clock);
  const uploadTurns = createUploadTurns();
  const monotonic = (): number => performance.now();
  const limitsOf = createLimitsOf(metadata, monotonic);
  // In a data folder this is the only server.
  const calls = shared ? createSharedBuckets(metadata.rates, monotonic) : createTokenBuckets(monotonic);
  const domain: Domain = {
    ...stores,
    formats: documentFormats,
    worker: {
      ...supervisor,
      wake() {
        supervisor.wake();
        metadata.announceWork();
      },
    },
    packs: createPacks(metadata.packs, packRegistry),
    packRegistry,
    remoteFiles: createRemoteFiles(createAllowedAddresses(settings.urlAllow)),
    shareLinks: createShareLinks({ signingKeys: metadata.signingKeys, clock }),
    renditionUses,
    uploadTurns,
    searchTurns: createSearchTurns(),
    jobFeed: createJobFeed(metadata),
    standing: createStanding(metadata, clock),
    meter,
    tracing,
    limitsOf,
    limits: { maxUploadBytes: settings.maxUploadBytes, maxDocumentBytes: settings.maxDocumentBytes },
  };
  const readiness = createReadiness({
    probes: {
      ...probesOf(stores, supervisor),
      async disk() {
        const fault = await storageFault(settings.dataDir);
        if (fault !== undefined) throw new Error(fault);
      },
    },
    remarks: {
      async index() {
        const datasets = await stores.metadata.indices.countRebuilds();
        return datasets === 0 ? undefined : `datasets that are being embedded again: ${datasets}`;
      },
      async model() {
        const inUse = (await metadata.packs.list()).find((pack) => pack.isInUse);
        if (inUse === undefined || (await packFolders.find(inUse.id)) !== undefined) return undefined;
        return `the model pack in use, ${inUse.id}, is not on this machine: searches here go by words alone`;
      },
    },
    log,
  });
  const transport = createTransport({
    routes: routes(domain),
    services,
    authenticate: createAuthenticate(metadata, { keys: keyUses, members: memberUses }, clock),
    openShare: (input, signal) => openShare(domain, input, signal),
    rates: createRates({ calls, failures: createTokenBuckets(monotonic) }, limitsOf, requests),
    idempotency: { attempts: createAttempts(metadata.idempotency, clock), creations: creations(domain) },
    readiness: readiness.check,
    proveIdentity: (challenge) => proofOf(lock.secret, challenge),
    registry,
    operatorState: () => readOperatorState(registry, opened.metadata, Date.now),
    tracing,
    log,
    publicUrl: settings.publicUrl,
    trustedProxies: settings.trustedProxies,
    shareDelivery: settings.shareDelivery,
  });
  const owner = newOwner();
  registerWorkerMetrics(registry, supervisor);
  registerSamples(registry, {
    // Not the timed ones: what a scrape costs is no work of the service.
    metadata: opened.metadata,
    disk: () => sampleDisk(settings.dataDir),
    cacheBytes: settings.cacheBytes,
    clock,
  });
  const flush = (): Promise<void> => flushAll([keyUses, memberUses, renditionUses, requests], log);
  const flushing = setInterval(() => void flush(), flushMs);
  const refilling = shared ? undefined : setInterval(() => void refillReserve(stores, log), flushMs);
  const maintaining = setInterval(() => void maintainLinks(domain, owner, log), maintainLinksMs);
  const close = async (): Promise<void> => {
    lock.withdraw();
    readiness.report("drain", "shutting down");
    const givenBack = supervisor.giveBack(settings.drainDelayMs + workerGraceMs);
    await sleep(settings.drainDelayMs);
    await transport.close();
    await uploadTurns.close();
    await givenBack;
    await supervisor.stop(workerGraceMs);
    clearInterval(flushing);
    clearInterval(refilling);
    clearInterval(maintaining);
    await flush();
    await metadata.duties.release(owner).catch(() => undefined);
    await closeStores(stores);
    lock.release();
    // A receiver that does not answer keeps no other server from the folder.
    await closeTracing();
  };

  try {
    await maintainLinks(domain, owner, log);
    const url = await transport.listen(settings.host, settings.port);
    const reissue = newKey ? "always" : shared ? "never" : "if lost";
    const credentials = await prepareCredentials(
      metadata,
      { dataDir: settings.dataDir, server: url, reissue },
      clock(),
    );
    lock.publish(url);
    return { url, credentials, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function refillReserve({ reserve }: Stores, log: Logger): Promise<void> {
  await reserve.refill().catch((cause: unknown) => logFault(log, "warn", { err: cause }, "no disk kept for deleting"));
}

async function flushAll(logs: readonly Pick<UseLog<string>, "flush">[], log: Logger): Promise<void> {
  for (const uses of logs) {
    await uses
      .flush()
      .catch((cause: unknown) => logFault(log, "warn", { err: cause }, "marks of use not written; trying again"));
  }
}

/** One server at a time, the first whose hour is over; the others have nothing to do then. */
async function maintainLinks({ metadata, shareLinks }: Domain, owner: string, log: Logger): Promise<void> {
  try {
    if ((await metadata.duties.hold("links", owner, linksHoldMs)) !== undefined) await shareLinks.maintain();
  } catch (cause) {
    logFault(log, "warn", { err: cause }, "the keys that sign links were not looked after; trying again in an hour");
  }
}
