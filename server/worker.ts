import type { Logger } from "pino";
import type { Settings } from "./settings/settings.ts";
import type { Meter } from "./domain/ports/meter.ts";
import type { PackRanking } from "./domain/ports/pack-ranking.ts";
import type { Posts } from "./domain/ports/remote.ts";
import type { Tracing } from "./domain/ports/tracing.ts";
import type { PageWorker, QueryInSpace, SearchQuery } from "./domain/ports/worker.ts";
import { createPacks } from "./domain/models/packs.ts";
import { createPackFolders, openPackRegistry } from "./embedding/registry.ts";
import { resolvePackDir } from "./embedding/packs.ts";
import { createSealing } from "./domain/webhooks/sealing.ts";
import { createAllowedAddresses } from "./remote/allowed-addresses.ts";
import { createPosts } from "./remote/posts.ts";
import { createRemoteFiles } from "./remote/remote-files.ts";
import type { Stores } from "./stores.ts";
import { openScratch } from "./pipeline/convert/scratch.ts";
import { createConverters } from "./pipeline/convert/select.ts";
import type { JobContext } from "./pipeline/jobs/context.ts";
import { startDispatcher } from "./pipeline/jobs/dispatch.ts";
import { startReembedding } from "./pipeline/jobs/reindex/reembed.ts";
import { deadlineMs } from "./pipeline/process/calls.ts";
import { startAbandonedRemoval, startUpkeep } from "./pipeline/jobs/cleanup/upkeep.ts";
import { createHighlighter } from "./pipeline/highlights.ts";
import { createPagePool } from "./pipeline/threads/pool.ts";
import { createIsolatedRetries } from "./pipeline/process/isolated-retry/trials.ts";
import { startWebhooks } from "./pipeline/webhooks/dispatch.ts";
import { createRenditionMaker, type RenditionMaker } from "./pipeline/renditions.ts";

/** The part of a worker that does the work, in whichever process it runs. */
export interface Worker extends Pick<PageWorker, "highlight" | "embedQuery" | "tryPack" | "wake"> {
  /** Renders a page, see `PageWorker.render`. */
  readonly render: RenditionMaker["make"];
  /** Releases memory of the threads without interrupting them. */
  renewThreads(): Promise<void>;
  /** Claims no more jobs and returns current ones once their pages have ended; calls are still answered. */
  giveBack(): Promise<void>;
  stop(): Promise<void>;
}

/** Datasets that change their model pack at the same time; small ones use at most one thread each. */
const maxReembedding = 4;

/**
 * Memory that pages may take above the limit at which the worker is replaced. Below it, a worker that has grown finishes its
 * current pages; above it, a page is out of control, and all work is stopped.
 */
const headroomBytes = 512 * 2 ** 20;

interface WorkerOptions {
  readonly owner: string;
  readonly claimJobs: boolean;
  readonly log: Logger;
  readonly meter: Meter;
  readonly tracing: Tracing;
}

/** Builds and starts a worker. With `claimJobs` false it only renders pages and embeds queries. */
export async function startWorker(
  stores: Stores,
  settings: Settings,
  { owner, claimJobs, log, meter, tracing }: WorkerOptions,
): Promise<Worker> {
  const { modelsDir, pageTimeoutMs } = settings;
  const packs = createPacks(stores.metadata.packs, openPackRegistry(modelsDir));
  const packFolders = createPackFolders(stores.metadata.packs, modelsDir);
  const engines = await openEngines(settings, log);
  const { pool, trials, conversions, scratch } = engines;
  const { clock } = stores;
  const renditions = createRenditionMaker({
    ...stores,
    pool,
    trials,
    cacheBytes: settings.cacheBytes,
    clock,
    meter,
    tracing,
    renderTimeoutMs: deadlineMs("render", pageTimeoutMs),
  });
  const upkeep = startUpkeep(stores, { owner, claimJobs, log });
  const abandonedRemoval = startAbandonedRemoval({ ...stores, isDue: upkeep.isHeld, clock, log });
  const allowed = createAllowedAddresses(settings.urlAllow);
  const remoteFiles = createRemoteFiles(allowed);
  const context: JobContext = {
    ...stores,
    remoteFiles,
    pool,
    trials,
    packs,
    packFolders,
    renditions,
    maintenance: upkeep.index,
    rowMaintenance: upkeep.rows,
    conversions,
    scratch,
    settings,
    clock,
    meter,
    tracing,
    log,
  };
  const jobs = claimJobs
    ? startJobs(context, settings, { owner, posts: createPosts(allowed), isDue: upkeep.isHeld })
    : undefined;
  const stopListening = jobs === undefined ? () => undefined : stores.metadata.onWork(jobs.wake);
  const stopJobs = async (): Promise<void> => {
    await jobs?.stop();
    await upkeep.giveBack();
  };
  return {
    render: renditions.make,
    highlight: createHighlighter({ ...stores, pool }),
    async embedQuery({ pack, ...query }, signal) {
      const packDir = await packFolders.find(pack);
      return packDir === undefined
        ? wordsAlone(await packs.find(pack), query)
        : pool.embedQuery(query, packDir, signal);
    },
    tryPack: (model, signal) => pool.tryPack(resolvePackDir(model, modelsDir), signal),
    wake: () => jobs?.wake(),
    renewThreads: () => pool.renew(),
    giveBack() {
      pool.finishPages();
      return stopJobs();
    },
    async stop() {
      stopListening();
      await stopJobs();
      await abandonedRemoval.stop();
      await upkeep.stop();
      await engines.close();
    },
  };
}

/**
 * Starts the parts that open documents: the threads for pages, the processes of isolated retries and the converters.
 */
async function openEngines(settings: Settings, log: Logger) {
  const { pageTimeoutMs } = settings;
  const maxRssBytes = settings.workerMemoryBytes + headroomBytes;
  const pool = createPagePool({
    threads: settings.workers,
    pageTimeoutMs,
    maxRssBytes,
  });
  // As much memory as in the pool: a page that can be read there must not run out of memory when it is retried alone.
  const trials = createIsolatedRetries({ log, pageTimeoutMs, maxRssBytes });
  const scratch = await openScratch();
  const conversions = createConverters({
    choice: settings.converter,
    scratchParent: scratch.path,
    onEngineFailure: (err) => log.warn({ err }, "an Office converter failed"),
  });
  return {
    pool,
    trials,
    conversions,
    scratch,
    async close(): Promise<void> {
      await conversions.close();
      await trials.close();
      await pool.close();
      await scratch.close();
    },
  };
}

interface JobsOptions {
  readonly owner: string;
  readonly posts: Posts;
  /** Whether this process has the duty of periodic work. */
  readonly isDue: () => boolean;
}

/** Claims and runs jobs, changes of model packs and messages to webhooks. */
function startJobs(context: JobContext, settings: Settings, { owner, posts, isDue }: JobsOptions) {
  const { metadata, clock, meter, log } = context;
  // More than there are threads, so that jobs that wait for a conversion do not delay PDFs.
  const concurrency = settings.workers + 2;
  const dispatcher = startDispatcher(context, { owner, concurrency, sweeps: isDue });
  const reembedder = startReembedding(context, {
    owner,
    concurrency: Math.min(settings.workers, maxReembedding),
    isBusy: () => dispatcher.isBusy(),
    cleansUp: isDue,
  });
  const webhooks = startWebhooks({
    webhooks: metadata.webhooks,
    posts,
    sealing: createSealing(settings.webhookKeys),
    timeoutMs: settings.webhookTimeoutMs,
    expiryNoticeMs: settings.webhookExpiryNoticeHours * 3_600_000,
    isDue,
    clock,
    meter,
    log,
  });
  return {
    wake(): void {
      dispatcher.wake();
      reembedder.wake();
    },
    async stop(): Promise<void> {
      await Promise.all([dispatcher.stop(), reembedder.stop()]);
      // Running jobs may just have ended.
      await webhooks.stop();
    },
  };
}

/** Reduces a query for a pack whose folder is gone, as after an update of drs, to its words, which still find pages. */
function wordsAlone(pack: PackRanking | undefined, { text = "" }: SearchQuery): readonly QueryInSpace[] {
  const spaces = text === "" || pack === undefined ? [] : pack.spaces.filter(({ kind }) => kind === "lexical");
  return spaces.map(({ name }) => ({ space: name, kind: "lexical", text }));
}
