import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { fillStock, type Stock, type StockSize } from "../fixtures/metadata-stock.ts";
import { createTenant, makeEvent, morning, type Tenant } from "./testing/records.ts";

/** The kernel's record of the calls of this thread. */
const countersFile = "/proc/thread-self/io";
const reason = existsSync(countersFile) ? "" : ` (skipped: no ${countersFile} to count reads with)`;

const dayMs = 86_400_000;
const small: StockSize = {
  datasets: 400,
  pagesOfLarge: 2_000,
  failedOfLarge: 5,
  pagesOfOthers: 5_000,
  queued: 300,
  otherWorkspaces: 20,
  finishedToday: 100,
  parts: 100,
  renditions: 400,
};
const factor = 10;
const large: StockSize = {
  datasets: small.datasets * factor,
  pagesOfLarge: small.pagesOfLarge * factor,
  failedOfLarge: small.failedOfLarge,
  pagesOfOthers: small.pagesOfOthers * factor,
  queued: small.queued * factor,
  otherWorkspaces: small.otherWorkspaces,
  finishedToday: small.finishedToday * factor,
  parts: small.parts * factor,
  renditions: small.renditions * factor,
};
/** Ten times the workspaces with jobs that wait, all of one organisation. */
const crowded: StockSize = {
  ...small,
  datasets: large.datasets,
  queued: large.queued,
  otherWorkspaces: small.otherWorkspaces * factor,
};

/**
 * Trees grow by a level, which is a read more for each row that is skipped or given out, and adjacent rows may be on two pages
 * instead of one. Ids are random, so that the same call takes some reads more or less. What goes through all rows takes ten times as many.
 */
const allowedFactor = 1.5;
const allowedMore = 40;

interface World {
  readonly store: Metadata;
  readonly stock: Stock & Tenant;
}

type Call = (world: World) => Promise<unknown>;

const newest = [{ property: "createdAt", descending: true }] as const;
const datasets =
  (query: object): Call =>
  ({ store, stock: { workspaceId } }) =>
    store.datasets.list({
      workspaceId,
      types: [],
      sha256: [],
      sort: newest,
      offset: 20,
      limit: 10,
      now: morning,
      ...query,
    });
const jobs =
  (query: object): Call =>
  ({ store, stock: { workspaceId } }) =>
    store.jobs.list({ workspaceId, statuses: [], offset: 20, limit: 10, finishedSince: morning - dayMs, ...query });
const items =
  (query: object): Call =>
  ({ store, stock: { read } }) =>
    store.pages.listItems({
      datasetId: read,
      row: undefined,
      ranges: undefined,
      sort: newest,
      offset: 20,
      limit: 10,
      ...query,
    });
const audit =
  (action: string): Call =>
  ({ store, stock: { organisationId } }) =>
    store.audit.list({ organisationId, action, offset: 20, limit: 10 });

/** The operations of requests and of the worker's rounds. Writing ones come last, with the removal of a dataset at the end. */
const calls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    (["createdAt", "updatedAt", "expiresAt", "fileName", "fileSize", "itemCount"] as const).flatMap((property) =>
      [true, false].map((descending) => [
        `datasets by ${property}, ${descending ? "down" : "up"}`,
        datasets({ sort: [{ property, descending }] }),
      ]),
    ),
  ),
  "datasets of a type": datasets({ types: ["image"], offset: 0 }),
  "datasets of two types": datasets({ types: ["image", "doc"] }),
  "datasets of a type that there is none of": datasets({ types: ["audio"] }),
  "datasets that are searchable": datasets({ isSearchable: true, offset: 0 }),
  "datasets that are not": datasets({ isSearchable: false }),
  "datasets by content": datasets({ sha256: ["0".repeat(64)], offset: 0 }),
  dataset: ({ store, stock }) => store.datasets.get(stock.workspaceId, stock.read, morning),
  "expired datasets": ({ store }) => store.datasets.deleteExpired(morning, 100),
  jobs: jobs({}),
  "jobs that failed": jobs({ statuses: ["ERROR"], offset: 0 }),
  "running jobs": jobs({ statuses: ["IN_PROGRESS"] }),
  "a page of a document's failures": ({ store, stock }) => store.pages.failures([stock.deleted]),
  "items by age, down": items({}),
  "items by page": items({ sort: [], offset: 1_000 }),
  "items by page, down": items({ sort: [{ property: "col", descending: true }] }),
  "items by row": items({ sort: [{ property: "row", descending: true }], offset: 500 }),
  "pictures of a range": items({ sort: [], row: "jpg", ranges: [{ from: 100, to: 900 }] }),
  "pages of a range that is open": items({ sort: [], row: "pdf", ranges: [{ from: 100, to: Infinity }] }),
  "audit log": audit(""),
  "audit log of keys": ({ store, stock: { organisationId } }) =>
    store.audit.list({ organisationId, action: "key.", offset: 0, limit: 1 }),
  "audit log of an action that there is none of": audit("plan."),
  usage: ({ store, stock }) => store.usage.ofWorkspace(stock.workspaceId),
  storage: ({ store, stock }) => store.usage.storage(stock.workspaceId),
  "uploads that are open": ({ store, stock: { workspaceId } }) =>
    store.uploads.list({ workspaceId, offset: 0, limit: 10, now: morning }),
  "expired uploads": ({ store }) => store.uploads.sweep(morning),
  "expired answers": ({ store }) => store.idempotency.sweep(morning),
  "bytes of the cache": ({ store }) => store.renditions.totalBytes(),
  "renditions used longest ago": ({ store }) => store.renditions.oldest(10),
  "packs to search": ({ store, stock }) => store.packs.inWorkspace(stock.workspaceId),
  "indices that have lost rows": ({ store, stock: { workspaceId } }) =>
    store.indices.incomplete({ workspaceId, datasetIds: undefined }, 10),
  "an index to make again": ({ store }) => store.indices.claimRebuild("worker", 30_000),
  "progress of a change of packs": ({ store, stock }) => store.packs.progress(stock.organisationId),
  "jobs to take off the list": ({ store }) => store.jobs.unlist(morning - 100 * dayMs),
  "jobs that no worker has seen": ({ store }) => store.jobs.markSeen(morning),
  claim: ({ store }) => store.jobs.claim("worker", 30_000, morning),
  "next claim": ({ store }) => store.jobs.claim("worker", 30_000, morning),
  "part of an upload": ({ store, stock }) =>
    store.uploads.putPart(
      stock.upload,
      { partNumber: 1, etag: "ab".repeat(32), size: 5, blobKey: "parts/again" },
      1e9,
      morning,
    ),
  "end of an upload": ({ store, stock }) => store.uploads.abort(stock.workspaceId, stock.upload, morning),
  "things to remove": ({ store }) => store.garbage.due(morning, 10),
  "deletion of a dataset": ({ store, stock }) =>
    store.datasets.delete(stock.workspaceId, stock.deleted, morning, makeEvent()),
  "removal of some of its pages": ({ store, stock }) =>
    store.garbage.removeRows({ kind: "rows", key: stock.deleted }, morning),
};

/** How often this thread has asked the system to read. */
function readsSoFar(): number {
  return Number(/^syscr: (\d+)$/m.exec(readFileSync(countersFile, "utf8"))?.[1]);
}

/** Reads of the database's pages by each call, in a process that remembers next to none of them. */
async function readsOf(size: StockSize): Promise<ReadonlyMap<string, number>> {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-bounded-"));
  const opened = vi.spyOn(DatabaseSync.prototype, "exec");
  const store = await openMetadata({ url: undefined, dataDir });
  const database = opened.mock.contexts[0];
  opened.mockRestore();
  try {
    const tenant = await createTenant(store);
    const stock = { ...tenant, ...fillStock(dataDir, tenant, size, morning) };
    if (!(database instanceof DatabaseSync)) throw new Error("the store has opened no database");
    database.exec("pragma cache_size = 1");
    const found = new Map<string, number>();
    for (const [what, call] of Object.entries(calls)) {
      // The statements are prepared, which reads the schema.
      if (!writes.has(what)) await call({ store, stock });
      database.exec("pragma wal_checkpoint(truncate)");
      database.exec("pragma shrink_memory");
      const before = readsSoFar();
      await call({ store, stock });
      found.set(what, readsSoFar() - before);
    }
    return found;
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true });
  }
}

/** They can be done once. */
const writes = new Set(["end of an upload", "deletion of a dataset"]);

describe.skipIf(reason !== "")(`work does not grow with what is stored${reason}`, () => {
  let few: ReadonlyMap<string, number>;
  let many: ReadonlyMap<string, number>;
  let ofCrowd: ReadonlyMap<string, number>;
  beforeAll(async () => {
    few = await readsOf(small);
    many = await readsOf(large);
    ofCrowd = await readsOf(crowded);
  }, 300_000);

  test("reads are counted", () => {
    expect(few.get("datasets by createdAt, down")).toBeGreaterThan(5);
  });

  test.each(Object.keys(calls))("%s", (what) => {
    const [before = 0, after = 0] = [few.get(what), many.get(what)];
    expect(after).toBeLessThanOrEqual(before * allowedFactor + allowedMore);
  });

  test.each(["claim", "next claim"])("%s, beside many workspaces that wait", (what) => {
    const [before = 0, after = 0] = [few.get(what), ofCrowd.get(what)];
    expect(after).toBeLessThanOrEqual(before * allowedFactor + allowedMore);
  });
});
