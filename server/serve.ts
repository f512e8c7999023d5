import type { Logger } from "pino";
import type { Settings } from "./config.ts";
import { type Credentials, prepareCredentials } from "./credentials.ts";
import type { Domain } from "./domain/domain.ts";
import type { KeyId } from "./domain/ids.ts";
import { createShareLinks } from "./domain/shares/links.ts";
import { openShare } from "./domain/shares/open.ts";
import { createUseLog, type UseLog } from "./domain/use-log.ts";
import { createAuthenticate } from "./domain/workspaces/api-keys.ts";
import { packInUse, readManifest } from "./embedding/load.ts";
import { resolvePackDir } from "./embedding/packs.ts";
import { createLog } from "./log.ts";
import { startSupervisor, type Supervisor } from "./pipeline/supervisor.ts";
import { createAllowedAddresses } from "./remote/allowed-addresses.ts";
import { createRemoteFiles } from "./remote/remote-files.ts";
import { lockDataDir } from "./storage/lock.ts";
import { closeStores, openStores, type Stores } from "./stores.ts";
import { createTransport } from "./transport/server.ts";
import { routes, services } from "./transport/services/index.ts";

export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  readonly credentials: Credentials;
  /** Drains: requests end, the worker gives its jobs back, stores close. */
  close(): Promise<void>;
}

/** How often marks of use (keys, cached renditions) are written. */
const flushMs = 10_000;
/** What the worker gets to give its jobs back. */
const workerGraceMs = 5_000;

/**
 * Starts the service: API in this process, worker in a child process. With `claimJobs` false the child only renders
 * and embeds queries. Throws if the data folder is in use or a setting cannot be honoured.
 */
export async function serve(settings: Settings, { claimJobs = true } = {}): Promise<RunningServer> {
  const log = createLog(settings.log, "api");
  const release = lockDataDir(settings.dataDir);
  try {
    const stores = await openStores(settings, { sweepTemporary: true });
    return await start(stores, settings, { claimJobs, log, release });
  } catch (cause) {
    release();
    throw cause;
  }
}

async function start(
  stores: Stores,
  settings: Settings,
  { claimJobs, log, release }: { claimJobs: boolean; log: Logger; release: () => void },
): Promise<RunningServer> {
  const { metadata } = stores;
  // The data folder is locked, so whoever held a lease or was in the middle of an upload is dead.
  await metadata.jobs.expireLeases(undefined);
  await metadata.garbage.expireAll();

  const supervisor = startSupervisor({ settings, claimJobs, jobs: metadata.jobs, log });
  const keyUses = createUseLog<KeyId>((uses) => metadata.keys.touch(uses));
  const renditionUses = createUseLog<string>((uses) => metadata.renditions.touch(uses));
  let url = "";
  const domain: Domain = {
    ...stores,
    worker: supervisor,
    pack: packInUse(await readManifest(resolvePackDir(settings.model))),
    remoteFiles: createRemoteFiles(createAllowedAddresses(settings.urlAllow)),
    shareLinks: createShareLinks({
      signingKeys: metadata.signingKeys,
      baseUrl: () => settings.publicUrl ?? url,
      clock: Date.now,
    }),
    renditionUses,
    clock: Date.now,
    limits: { maxUploadBytes: settings.maxUploadBytes },
  };
  const transport = createTransport({
    routes: routes(domain),
    services,
    authenticate: createAuthenticate(metadata.keys, keyUses, Date.now),
    openShare: (input, signal) => openShare(domain, input, signal),
    readiness: () => checkReadiness(stores, supervisor),
    log,
    publicUrl: settings.publicUrl,
  });
  const flush = (): Promise<void> => flushAll([keyUses, renditionUses], log);
  const flushing = setInterval(() => void flush(), flushMs);
  const close = async (): Promise<void> => {
    await transport.close();
    await supervisor.stop(workerGraceMs);
    clearInterval(flushing);
    await flush();
    await closeStores(stores);
    release();
  };

  try {
    url = await transport.listen(settings.host, settings.port);
    const credentials = await prepareCredentials(metadata, { dataDir: settings.dataDir, server: url });
    return { url, credentials, close };
  } catch (cause) {
    await close();
    throw cause;
  }
}

async function flushAll(logs: readonly Pick<UseLog<string>, "flush">[], log: Logger): Promise<void> {
  for (const uses of logs) {
    await uses.flush().catch((cause: unknown) => log.warn({ err: cause }, "marks of use not written; trying again"));
  }
}

async function checkReadiness(
  { metadata, blobs, vectors }: Stores,
  worker: Supervisor,
): Promise<{ ready: boolean; checks: Record<string, string> }> {
  const answer = async (ping: Promise<void>): Promise<string> =>
    ping.then(
      () => "ok",
      (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)),
    );
  const [rows, bytes, index] = await Promise.all([
    answer(metadata.ping()),
    answer(blobs.ping()),
    answer(vectors.ping()),
  ]);
  const checks = { metadata: rows, blobs: bytes, vectors: index, worker: worker.isReady() ? "ok" : "starting" };
  return { ready: Object.values(checks).every((check) => check === "ok"), checks };
}
