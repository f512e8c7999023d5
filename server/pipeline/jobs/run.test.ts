import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { noProperties } from "../../domain/documents/properties.ts";
import { newDataset } from "../../domain/datasets/create.ts";
import { originalKeyOf } from "../../domain/datasets/dataset.ts";
import { newDatasetId, type OrganisationId, type WorkspaceId } from "../../domain/ids.ts";
import { type Job, type JobType, newJob } from "../../domain/jobs/job.ts";
import { actOfService } from "../../domain/audit/event.ts";
import { newFounding } from "../../domain/organisations/found.ts";
import type { ClaimedJob } from "../../domain/ports/jobs.ts";
import { noMeter } from "../../domain/ports/meter.ts";
import { noTracing } from "../../domain/ports/tracing.ts";
import { createAllowedAddresses } from "../../remote/allowed-addresses.ts";
import { createRemoteFiles } from "../../remote/remote-files.ts";
import { closeStores, openStores, type Stores } from "../../stores.ts";
import { DocumentError } from "../errors.ts";
import type { PagePool } from "../threads/pool.ts";
import type { IsolatedRetries } from "../process/isolated-retry/trials.ts";
import type { JobContext } from "./context.ts";
import { holdLease } from "./lease.ts";
import { runJob, type JobControl } from "./run.ts";

interface Opener {
  readonly pool: PagePool;
  readonly trials: IsolatedRetries;
  /** The pool's error when the process would have died. */
  readonly death: Error;
}

/** The stores are real; only the pool is a fake, because no real document kills a process on demand. */
describe("runJob", () => {
  let workspaceId: WorkspaceId;
  let organisationId: OrganisationId;
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
    organisationId = founding.organisation.id;
  });
  afterEach(async () => {
    await closeStores(stores);
    await rm(dataDir, { recursive: true, force: true });
  });

  async function addJob(type: JobType = "datasets/extract"): Promise<Job> {
    const id = newDatasetId();
    await stores.blobs.put(originalKeyOf(id), bytes("original"));
    const dataset = newDataset({
      id,
      workspaceId,
      fileName: "a.pdf",
      kind: { fileExt: "pdf", mimeType: "application/pdf" },
      stored: { size: 8, sha256: "00" },
      expiresInDays: undefined,
      now,
    });
    const job = newJob(workspaceId, id, type, now);
    await stores.metadata.datasets.create(dataset, job);
    return job;
  }

  async function* bytes(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }

  /** A document with this number of pages, in which reading the page `deadly` ends the whole process. */
  function documentOf(
    pages: number,
    { deadly = -1, broken = [] }: { deadly?: number; broken?: readonly number[] } = {},
  ): Opener & { readonly readOrder: number[] } {
    const death = new Error("the process died");
    const readOrder: number[] = [];
    const pool: PagePool = {
      async countPages() {
        if (deadly === 0) throw death;
        return pages;
      },
      readProperties: async () => noProperties,
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
      highlightPage: () => Promise.reject(new Error("not asked for")),
      embedQuery: () => Promise.reject(new Error("not asked for")),
      tryPack: () => Promise.reject(new Error("not asked for")),
      finishPages: () => undefined,
      renew: async () => undefined,
      close: async () => undefined,
    };
    const unasked = () => Promise.reject(new Error("not asked for"));
    const trials: IsolatedRetries = {
      async countPages() {
        if (deadly === 0) throw new DocumentError("damaged", "opening it crashed twice");
        return pages;
      },
      async readPage({ page }) {
        readOrder.push(page);
        return page === deadly
          ? { page, reason: "the process that read this page crashed twice" }
          : { page, width: 1, height: 1, words: `word${page}` };
      },
      embedPage: unasked,
      renderPage: unasked,
      close: async () => undefined,
    };
    return { pool, trials, death, readOrder };
  }

  function contextWith({ pool, trials }: Opener): JobContext {
    return {
      ...stores,
      remoteFiles: createRemoteFiles(createAllowedAddresses([])),
      pool,
      trials,
      packs: { find: async () => undefined, inUse: () => Promise.reject(new Error("not asked for")) },
      packFolders: { find: async () => undefined },
      renditions: { make: async () => undefined },
      maintenance: { request: () => undefined },
      rowMaintenance: { request: () => undefined },
      conversions: {
        convert: () => Promise.reject(new Error("not asked for")),
        describe: () => Promise.reject(new Error("not asked for")),
      },
      scratch: { folder: () => Promise.reject(new Error("not asked for")), remove: async () => undefined },
      settings: {
        renditions: "on-demand",
        workers: 1,
        convertTimeoutMs: 1_000,
        maxSheetPages: 10,
        maxDocumentBytes: 1_000,
      },
      clock: () => now,
      meter: noMeter,
      tracing: noTracing,
      log: pino({ level: "silent" }),
    };
  }

  async function claim(owner: string): Promise<ClaimedJob> {
    const claimed = await stores.metadata.jobs.claim(owner, 10_000, now);
    if (claimed === undefined) throw new Error("there is no job to claim");
    return claimed;
  }

  /** One life of a worker; true if it died. */
  async function live(opener: Opener, owner: string): Promise<boolean> {
    now += 100;
    const claimed = await claim(owner);
    const held = holdLease(stores.metadata.jobs, claimed.lease);
    try {
      const control: JobControl = { stopping: new AbortController().signal, whileWaiting: (wait) => wait() };
      await runJob(contextWith(opener), claimed, held, control);
      return false;
    } catch (cause) {
      if (cause !== opener.death) throw cause;
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
    const document = documentOf(10);
    expect(await live(document, "w1")).toBe(false);
    expect(await stateOf(job)).toMatchObject({
      status: "SUCCESS",
      statusText: "",
      progress: { pagesDone: 10, pagesTotal: 10 },
    });
    expect(document.readOrder).toHaveLength(10);
    expect((await stores.metadata.pages.words(job.datasetId, [7])).get(7)).toBe("word7");
  });

  test("pages in flight when a worker died are retried in isolation, and only those that die there have failed", async () => {
    const job = await addJob();
    const document = documentOf(10, { deadly: 6 });
    expect(await live(document, "w1")).toBe(true);
    expect(await live(document, "w2")).toBe(false);
    expect(await stateOf(job)).toMatchObject({
      status: "SUCCESS",
      statusText: expect.stringMatching(/^1 of 10 pages/),
    });
    const failures = (await stores.metadata.pages.failures([job.datasetId])).get(job.datasetId);
    expect(failures).toEqual([{ page: 6, reason: expect.stringMatching(/crashed twice/) }]);
    expect(await stores.metadata.pages.readable(job.datasetId)).toEqual([1, 2, 3, 4, 5, 7, 8, 9, 10]);
    expect(new Set(document.readOrder)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  });

  test("workers that are killed however often fail no page", async () => {
    const job = await addJob();
    const killed = documentOf(10);
    killed.trials.readPage = () => Promise.reject(killed.death);
    killed.pool.readPages = async ({ pages }, on) => {
      await on.start(pages);
      throw killed.death;
    };
    for (let life = 0; life < 20; life++) expect(await live(killed, `w${life}`)).toBe(true);
    expect(await live(documentOf(10), "last")).toBe(false);
    expect(await stateOf(job)).toMatchObject({ status: "SUCCESS", statusText: "" });
  });

  test("a document that kills the worker when it is opened is opened in isolation, and ends in ERROR", async () => {
    const job = await addJob();
    const document = documentOf(1, { deadly: 0 });
    expect(await live(document, "w1")).toBe(true);
    expect(await live(document, "w2")).toBe(false);
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: "opening it crashed twice" });
  });

  test("broken pages do not affect the others, and are retried on request", async () => {
    const job = await addJob();
    await live(documentOf(5, { broken: [2, 4] }), "w1");
    expect(await stateOf(job)).toMatchObject({ status: "SUCCESS", statusText: expect.stringMatching(/^2 of 5 pages/) });
    await stores.metadata.jobs.retry(workspaceId, job.id, now);
    const mended = documentOf(5);
    await live(mended, "w2");
    expect(mended.readOrder).toEqual([2, 4]);
    expect(await stateOf(job)).toMatchObject({ status: "SUCCESS", statusText: "" });
  });

  test("a document without a readable page ends in ERROR", async () => {
    const job = await addJob();
    await live(documentOf(2, { broken: [1, 2] }), "w1");
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/no page.*broken/) });
  });

  test("a document that cannot be opened ends in ERROR with its sentence", async () => {
    const job = await addJob();
    const document = documentOf(1);
    document.pool.countPages = () => Promise.reject(new DocumentError("encrypted", "it has a password"));
    await live(document, "w1");
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: "it has a password" });
  });

  test("a worker that lost its job writes nothing more", async () => {
    const job = await addJob();
    const document = documentOf(4);
    const read = document.pool.readPages.bind(document.pool);
    document.pool.readPages = async (...call) => {
      const event = actOfService(organisationId, { action: "dataset.delete", target: job.datasetId, workspaceId }, now);
      await stores.metadata.jobs.cancel(workspaceId, job.id, { statusText: "cancelled", event }, now);
      await read(...call);
    };
    await expect(live(document, "w1")).rejects.toThrow(/claim is over/);
    expect(await stateOf(job)).toMatchObject({ status: "ERROR", statusText: "cancelled", canceledAt: now });
    expect(await stores.metadata.pages.finished(job.datasetId)).toEqual([]);
  });
});
