import type { Logger } from "pino";
import type { Settings } from "../config.ts";
import type { PageWorker, RenditionRef } from "../domain/ports/worker.ts";
import { packInUse, readManifest } from "../embedding/load.ts";
import { resolvePackDir } from "../embedding/packs.ts";
import { createAllowedAddresses } from "../remote/allowed-addresses.ts";
import { createRemoteFiles } from "../remote/remote-files.ts";
import type { Stores } from "../stores.ts";
import { openScratch } from "./convert/scratch.ts";
import { createConverters } from "./convert/select.ts";
import type { JobContext } from "./jobs/context.ts";
import { startDispatcher } from "./jobs/dispatch.ts";
import { startMaintenance } from "./maintenance.ts";
import { createPagePool } from "./pool.ts";
import { createRenditionMaker } from "./renditions.ts";

/** The part of a worker that does the work, whatever process it runs in. */
export interface Worker extends Pick<PageWorker, "render" | "embedQuery" | "wake"> {
  stop(): Promise<void>;
}

/** Puts a worker together and sets it going. With `claimJobs` false it only renders and embeds queries. */
export async function startWorker(
  stores: Stores,
  settings: Settings,
  { owner, claimJobs, log }: { owner: string; claimJobs: boolean; log: Logger },
): Promise<Worker> {
  const packDir = resolvePackDir(settings.model);
  const pack = packInUse(await readManifest(packDir));
  const pool = createPagePool({
    threads: settings.workers,
    packDir,
    pageTimeoutMs: settings.pageTimeoutMs,
    maxRssBytes: settings.workerMemoryBytes,
  });
  const clock = Date.now;
  const renditions = createRenditionMaker({ ...stores, pool, cacheBytes: settings.cacheBytes, clock });
  const maintenance = startMaintenance(stores.vectors, log);
  const scratch = await openScratch();
  const conversions = createConverters({
    choice: settings.converter,
    scratchParent: scratch.path,
    onEngineFailure: (err) => log.warn({ err }, "an Office converter failed"),
  });
  const remoteFiles = createRemoteFiles(createAllowedAddresses(settings.urlAllow));
  const context: JobContext = {
    ...stores,
    remoteFiles,
    pool,
    pack,
    renditions,
    maintenance,
    conversions,
    scratch,
    settings,
    clock,
    log,
  };
  // More than there are threads: a job that waits for its conversion must not keep PDFs waiting.
  const concurrency = settings.workers + 2;
  const dispatcher = claimJobs ? startDispatcher(context, { owner, concurrency }) : undefined;
  return {
    render: (page: RenditionRef, signal?: AbortSignal) => renditions.make(page, signal),
    embedQuery: (query, signal) => pool.embedQuery(query, signal),
    wake: () => dispatcher?.wake(),
    async stop() {
      await dispatcher?.stop();
      await maintenance.stop();
      await conversions.close();
      await pool.close();
      await scratch.close();
    },
  };
}
