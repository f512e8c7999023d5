import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { hasProcfs, procfsReason } from "../measuring/processes.ts";
import type { Report, Row } from "../measuring/report.ts";
import { postgresPrograms, startPostgres, withoutPostgres } from "../../test/servers/postgres.ts";
import { meterDatabase } from "../service/database.ts";
import pino from "pino";
import { noProperties } from "../../server/domain/documents/properties.ts";
import { newDataset } from "../../server/domain/datasets/create.ts";
import { originalKeyOf } from "../../server/domain/datasets/dataset.ts";
import { newDatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import { newFounding } from "../../server/domain/organisations/found.ts";
import { noMeter } from "../../server/domain/ports/meter.ts";
import { noTracing } from "../../server/domain/ports/tracing.ts";
import type { JobContext } from "../../server/pipeline/jobs/context.ts";
import { holdLease } from "../../server/pipeline/jobs/lease.ts";
import { runJob } from "../../server/pipeline/jobs/run.ts";
import type { PagePool } from "../../server/pipeline/threads/pool.ts";
import { createAllowedAddresses } from "../../server/remote/allowed-addresses.ts";
import { createRemoteFiles } from "../../server/remote/remote-files.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { closeStores, openStores, type Stores } from "../../server/stores.ts";

/** The documents to run: the pages of each, and how many documents of that length there are. */
const documents = [
  { pages: 1, count: 200 },
  { pages: 20, count: 50 },
  { pages: 500, count: 10 },
];
/** Milliseconds of the queue's CPU per page. For a document of one page this is the cost of a job. */
const limitMs = 2;

export const queue: Benchmark = {
  name: "queue",
  title: "what a page costs beside the work on it: jobs whose pages take nothing, in both databases",
  async run({ folder, report }) {
    if (!hasProcfs) return report.skip("queue", procfsReason);
    const dataDir = await mkdtemp(join(folder, "queue-"));
    tell(report, "SQLite", await runAll({ dataDir, databaseUrl: undefined }, () => 0));
    if (postgresPrograms() === undefined) return report.skip("queue in PostgreSQL", withoutPostgres.trim());
    const server = await startPostgres(["fsync=on", "shared_buffers=256MB"]);
    const databaseUrl = await server.createDatabase();
    const meter = await meterDatabase(databaseUrl);
    try {
      const own = await mkdtemp(join(folder, "queue-"));
      tell(report, "PostgreSQL", await runAll({ dataDir: own, databaseUrl }, meter.cpuMs));
    } finally {
      await meter.close();
      await server.close();
    }
  },
};

async function runAll(
  place: { readonly dataDir: string; readonly databaseUrl: string | undefined },
  databaseCpuMs: () => number,
): Promise<readonly Idle[]> {
  return runIdleJobs({ ...place, databaseCpuMs }, documents);
}

function tell(report: Report, engine: string, measured: readonly Idle[]): void {
  report.table(
    `${engine}: CPU of jobs whose pages take nothing, from the row of the dataset to the end of the job`,
    measured.map(({ pages, count, processMs, databaseMs }): Row => {
      const all = processMs + databaseMs;
      return {
        "pages of a document": pages,
        documents: count,
        "worker CPU ms/document": processMs / count,
        "database CPU ms/document": databaseMs / count,
        "CPU ms/page": all / count / pages,
      };
    }),
  );
  for (const { pages, count, processMs, databaseMs } of measured) {
    if (pages === 1) continue;
    const perPage = (processMs + databaseMs) / count / pages;
    report.bar(`${engine}: CPU of the queue for a page of ${pages}`, perPage, limitMs, "ms");
  }
}

interface Place {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  /** CPU used so far by a database that is a separate process. */
  readonly databaseCpuMs: () => number;
}

interface Documents {
  /** Pages of each document. */
  readonly pages: number;
  readonly count: number;
}

/** The CPU of all documents together, milliseconds. */
interface Idle extends Documents {
  readonly processMs: number;
  readonly databaseMs: number;
}

const warmUps = 10;
const leaseMs = 30_000;
/** The number of pages that a thread takes at a time. */
const pagesAtOnce = 16;

/**
 * Runs extract jobs as a worker does, with real stores and a fake thread pool that returns pages at once. All pages have the same
 * short text, because compressing real text is part of the work on a page.
 */
async function runIdleJobs(place: Place, documents: readonly Documents[]): Promise<readonly Idle[]> {
  const { dataDir, databaseUrl } = place;
  const local = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
  const shared = databaseUrl === undefined ? undefined : await openMetadata({ url: databaseUrl, dataDir });
  const stores = shared === undefined ? local : { ...local, metadata: shared };
  try {
    const founding = newFounding({ name: "Bench", plan: "unlimited", isOperator: true, keyName: "first" }, Date.now());
    await stores.metadata.organisations.create(founding, []);
    const workspaceId = founding.workspace.id;
    for (let round = 0; round < warmUps; round++) await runOne(stores, workspaceId, pagesAtOnce);
    const measured: Idle[] = [];
    for (const each of documents) {
      const [process0, database0] = [process.cpuUsage(), place.databaseCpuMs()];
      for (let round = 0; round < each.count; round++) await runOne(stores, workspaceId, each.pages);
      const { user, system } = process.cpuUsage(process0);
      measured.push({ ...each, processMs: (user + system) / 1000, databaseMs: place.databaseCpuMs() - database0 });
    }
    return measured;
  } finally {
    await shared?.close();
    await closeStores(local);
  }
}

async function runOne(stores: Stores, workspaceId: WorkspaceId, pages: number): Promise<void> {
  const { metadata } = stores;
  const now = Date.now();
  const id = newDatasetId();
  await stores.blobs.put(originalKeyOf(id), original());
  const dataset = newDataset({
    id,
    workspaceId,
    fileName: "idle.pdf",
    kind: { fileExt: "pdf", mimeType: "application/pdf" },
    stored: { size: 8, sha256: "00" },
    expiresInDays: undefined,
    now,
  });
  await metadata.datasets.create(dataset, newJob(workspaceId, id, "datasets/extract", now));
  const claimed = await metadata.jobs.claim("bench", leaseMs, now);
  if (claimed === undefined) throw new Error("there is no job to claim");
  const held = holdLease(metadata.jobs, claimed.lease);
  try {
    const turn = { stopping: new AbortController().signal, whileWaiting: <T>(wait: () => Promise<T>) => wait() };
    await runJob(contextOf(stores, pages), claimed, held, turn);
  } finally {
    held.stop();
  }
}

async function* original(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("original");
}

const unasked = (): Promise<never> => Promise.reject(new Error("not asked for"));

function contextOf(stores: Stores, pageCount: number): JobContext {
  const pool: PagePool = {
    countPages: async () => pageCount,
    readProperties: async () => noProperties,
    async readPages({ pages }, on) {
      for (let from = 0; from < pages.length; from += pagesAtOnce) {
        const batch = pages.slice(from, from + pagesAtOnce);
        await on.start(batch);
        for (const page of batch) await on.page({ page, width: 595, height: 842, words: "the words of a page" });
      }
    },
    embedPages: unasked,
    renderPage: unasked,
    highlightPage: unasked,
    embedQuery: unasked,
    tryPack: unasked,
    finishPages: () => undefined,
    renew: async () => undefined,
    close: async () => undefined,
  };
  return {
    ...stores,
    remoteFiles: createRemoteFiles(createAllowedAddresses([])),
    pool,
    trials: {
      countPages: unasked,
      readPage: unasked,
      embedPage: unasked,
      renderPage: unasked,
      close: async () => undefined,
    },
    packs: { find: async () => undefined, inUse: unasked },
    packFolders: { find: async () => undefined },
    renditions: { make: async () => undefined },
    tracing: noTracing,
    maintenance: { request: () => undefined },
    rowMaintenance: { request: () => undefined },
    conversions: { convert: unasked, describe: unasked },
    scratch: { folder: unasked, remove: async () => undefined },
    settings: {
      renditions: "on-demand",
      workers: 1,
      convertTimeoutMs: 60_000,
      maxSheetPages: 1_000,
      maxDocumentBytes: 2 ** 30,
    },
    clock: Date.now,
    meter: noMeter,
    log: pino({ level: "silent" }),
  };
}
