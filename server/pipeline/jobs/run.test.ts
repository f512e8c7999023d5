import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Dataset } from "../../domain/datasets/dataset.ts";
import { originalKey } from "../../domain/datasets/dataset.ts";
import { newDatasetId, type WorkspaceId } from "../../domain/ids.ts";
import { newJob } from "../../domain/jobs/create.ts";
import type { Job, JobType } from "../../domain/jobs/job.ts";
import { newFounding } from "../../domain/organisations/found.ts";
import type { ClaimedJob } from "../../domain/ports/metadata.ts";
import { createAllowedAddresses } from "../../remote/allowed-addresses.ts";
import { createRemoteFiles } from "../../remote/remote-files.ts";
import { closeStores, openStores, type Stores } from "../../stores.ts";
import { DocumentError } from "../errors.ts";
import type { PagePool } from "../pool.ts";
import { createTrials } from "../process/trials.ts";
import type { JobContext } from "./context.ts";
import { holdLease } from "./lease.ts";
import { runJob, type Turn } from "./run.ts";

/** The stores are real; only the pool is made up, because no real document kills a process at will. */
describe("runJob", () => {
  let workspaceId: WorkspaceId;
  let dataDir: string;
  let stores: Stores;
  let now: number;

  beforeEach(async () => {
    now = 1_000;
    dataDir = await mkdtemp(join(tmpdir(), "drs-run-"));
    stores = await openStores({ dataDir, databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
    const fields = { name: "o", plan: "unlimited", isOperator: true, keyName: "k" };
    const founding = newFounding(fields, now);
    await stores.metadata.organisations.create(founding, []);
    workspaceId = founding.workspace.id;
  });
  afterEach(async () => {
    await closeStores(stores);
    await rm(dataDir, { recursive: true, force: true });
  });

  async function addJob(type: JobType = "datasets/extract"): Promise<Job> {
    const id = newDatasetId();
    await stores.blobs.put(originalKey(id), bytes("original"));
    const dataset: Dataset = {
      id,
      workspaceId,
      type: "doc",
      itemCount: 0,
      fileName: "a.pdf",
      fileExt: "pdf",
      mimeType: "application/pdf",
      fileSize: 8,
      sha256: "00",
      convertedSize: null,
      createdAt: now,
      updatedAt: null,
      expiresAt: null,
    };
    const job = newJob(workspaceId, id, type, now);
    await stores.metadata.datasets.create(dataset, job);
    return job;
  }

  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }

  /** A document of so many pages, on which reading `deadly` takes the whole process along. */
  function poolOf(pages: number, { deadly = -1, broken = [] }: { deadly?: number; broken?: readonly number[] } = {}) {
    const death = new Error("the process died");
    const readOrder: number[] = [];
    const pool: PagePool = {
      async countPages() {
        if (deadly === 0) throw death;
        return pages;
      },
      async readPages(task, on) {
        for (const batch of [task.pages.slice(0, 4), task.pages.slice(4)]) {
          if (batch.length === 0) continue;
          await on.start(batch);
          if (batch.includes(deadly)) throw death;
          for (const page of batch) {
            readOrder.push(page);
            await on.page(
              broken.includes(page) ? { page, reason: "broken" } : { page, width: 1, height: 1, words: `word${page}` },
            );
          }
        }
      },
      embedPages: () => Promise.reject(new Error("not asked for")),
      renderPage: () => Promise.reject(new Error("not asked for")),
      embedQuery: () => Promise.reject(new Error("not asked for")),
      tryPack: () => Promise.reject(new Error("not asked for")),
      close: async () => undefined,
    };
    return { pool, death, readOrder };
  }

  function contextWith(pool: PagePool): JobContext {
    return {
      ...stores,
      remoteFiles: createRemoteFiles(createAllowedAddresses([])),
      pool,
      // Starts no process before it is asked.
      trials: createTrials({ log: pino({ level: "silent" }), pageTimeoutMs: 1_000, maxRssBytes: 2 ** 30 }),
      packs: { find: async () => undefined, inUse: () => Promise.reject(new Error("not asked for")) },
      packFolders: { find: async () => undefined },
      renditions: { make: async () => undefined },
      maintenance: { request: () => undefined },
      rowMaintenance: { request: () => undefined },
      conversions: { convert: () => Promise.reject(new Error("not asked for")) },
      scratch: { folder: () => Promise.reject(new Error("not asked for")), remove: async () => undefined },
      settings: {
        renditions: "on-demand",
        workers: 1,
        convertTimeoutMs: 1_000,
        maxSheetPages: 10,
        maxDocumentBytes: 1_000,
      },
      clock: () => now,
      log: pino({ level: "silent" }),
    };
  }

  async function claim(owner: string): Promise<ClaimedJob> {
    const claimed = await stores.metadata.jobs.claim(owner, now, now + 10_000);
    if (claimed === undefined) throw new Error("there is no job to claim");
    return claimed;
  }

  /** One life of a worker; true if it died. */
  async function live(pool: PagePool, death: Error, owner: string): Promise<boolean> {
    now += 100;
    const claimed = await claim(owner);
    const held = holdLease(stores.metadata.jobs, claimed.lease, () => now);
    try {
      const turn: Turn = { stopping: new AbortController().signal, aside: (wait) => wait() };
      await runJob(contextWith(pool), claimed, held, turn);
      return false;
    } catch (cause) {
      if (cause !== death) throw cause;
      await stores.metadata.jobs.expireLeases(owner);
      return true;
    } finally {
      held.stop();
    }
  }

  async function stateOf(job: Job): Promise<Job | undefined> {
    return stores.metadata.jobs.get(workspaceId, job.id);
  }

  test("reads every page once and ends in SUCCESS", async () => {
    const job = await addJob();
    const { pool, death, readOrder } = poolOf(10);
    expect(await live(pool, death, "w1")).toBe(false);
    expect(await stateOf(job)).toMatchObject({
      status: "SUCCESS",
      statusText: "",
      progress: { pagesDone: 10, pagesTotal: 10 },
    });
    expect(readOrder).toHaveLength(10);
    expect((await stores.metadata.pages.words(job.datasetId, [7])).get(7)).toBe("word7");
  });

  test("a page that kills three workers is given up with the reason, and the others are done", async () => {
    const job = await addJob();
    const { pool, death } = poolOf(10, { deadly: 6 });
    const lives: boolean[] = [];
    while (lives.at(-1) !== false && lives.length < 9) lives.push(await live(pool, death, `w${lives.length}`));
    expect(lives).toEqual([true, true, true, false]);
    expect(await stateOf(job)).toMatchObject({
      status: "SUCCESS",
      statusText: expect.stringMatching(/^1 of 10 pages/),
    });
    const failures = (await stores.metadata.pages.failures([job.datasetId])).get(job.datasetId);
    expect(failures).toEqual([{ page: 6, reason: expect.stringMatching(/died 3 times/) }]);
    expect(await stores.metadata.pages.readable(job.datasetId)).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10]);
  });

  test("a document that kills three workers when it is opened ends in ERROR", async () => {
    const job = await addJob();
    const { pool, death } = poolOf(1, { deadly: 0 });
    for (const owner of ["w1", "w2", "w3"]) expect(await live(pool, death, owner)).toBe(true);
    expect(await live(pool, death, "w4")).toBe(false);
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/died 3 times/) });
  });

  test("some broken pages do not lose the others", async () => {
    const job = await addJob();
    const { pool, death } = poolOf(5, { broken: [2, 4] });
    await live(pool, death, "w1");
    expect(await stateOf(job)).toMatchObject({ status: "SUCCESS", statusText: expect.stringMatching(/^2 of 5 pages/) });
  });

  test("a document without a readable page ends in ERROR", async () => {
    const job = await addJob();
    const { pool, death } = poolOf(2, { broken: [1, 2] });
    await live(pool, death, "w1");
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/no page.*broken/) });
  });

  test("a document that cannot be opened ends in ERROR with its sentence", async () => {
    const job = await addJob();
    const { pool, death } = poolOf(1);
    pool.countPages = () => Promise.reject(new DocumentError("encrypted", "it has a password"));
    await live(pool, death, "w1");
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: "it has a password" });
  });

  test("a worker that lost its job writes nothing more", async () => {
    const job = await addJob();
    const { pool, death } = poolOf(4);
    const read = pool.readPages.bind(pool);
    pool.readPages = async (...call) => {
      await stores.metadata.jobs.cancel(workspaceId, job.id, "cancelled", now);
      await read(...call);
    };
    await expect(live(pool, death, "w1")).rejects.toThrow(/no longer ours/);
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: "cancelled", canceledAt: now });
    expect(await stores.metadata.pages.finished(job.datasetId)).toEqual([]);
  });
});
