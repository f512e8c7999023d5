import type { DatasetQuery } from "../../server/domain/ports/datasets.ts";
import type { JobQuery } from "../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { ItemQuery } from "../../server/domain/ports/pages.ts";
import type { Stock } from "../../test/fixtures/metadata-stock.ts";
import type { Report } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { measure, summary } from "./times.ts";

const rounds = 100;
const limitMs = 20;
const dayMs = 86_400_000;

/** Measures the reads of requests, each many times: p50 and p99. */
export async function measureReads(store: Metadata, stock: Stock, now: number, report: Report): Promise<void> {
  const { workspaceId, organisationId, read } = stock;
  const newest = [{ property: "createdAt", descending: true }] as const;
  const datasets = (query: Partial<DatasetQuery>) => () =>
    store.datasets.list({ workspaceId, types: [], sha256: [], sort: newest, offset: 0, limit: 10, now, ...query });
  const sorted = (property: "fileName" | "expiresAt" | "itemCount", descending: boolean) =>
    datasets({ sort: [{ property, descending }] });
  const jobs = (query: Partial<JobQuery>) => () =>
    store.jobs.list({ workspaceId, statuses: [], offset: 0, limit: 10, finishedSince: now - dayMs, ...query });
  const items = (query: Partial<ItemQuery>) => () =>
    store.pages.listItems({
      datasetId: read,
      row: undefined,
      ranges: undefined,
      sort: newest,
      offset: 0,
      limit: 10,
      ...query,
    });
  const byPage = [{ property: "col", descending: false }] as const;
  const byRow = [{ property: "row", descending: true }] as const;
  const audit =
    (action: string, offset = 0) =>
    () =>
      store.audit.list({ organisationId, action, offset, limit: 10 });
  const job = (await jobs({})()).data[0];
  if (job === undefined) throw new Error("the stock has no jobs");
  const cases: Readonly<Record<string, () => Promise<unknown>>> = {
    "datasets, first": datasets({}),
    "datasets, middle offset": datasets({ offset: 100_000 }),
    "datasets, last offset": datasets({ offset: 199_990 }),
    "datasets by name": sorted("fileName", false),
    "datasets by expiry, last": sorted("expiresAt", true),
    "datasets by expiry, first": sorted("expiresAt", false),
    "datasets by pages": sorted("itemCount", true),
    "datasets of one type": datasets({ types: ["image"] }),
    "datasets of two types": datasets({ types: ["image", "doc"] }),
    "datasets of a type that there is none of": datasets({ types: ["audio", "video"] }),
    "datasets of one format": datasets({ fileExts: ["pdf"] }),
    "datasets of a format, oldest": datasets({
      fileExts: ["pdf"],
      sort: [{ property: "createdAt", descending: false }],
    }),
    "datasets that are searchable": datasets({ isSearchable: true }),
    "datasets by content": datasets({ sha256: ["0".repeat(64)] }),
    "dataset, one": () => store.datasets.get(workspaceId, read, now),
    "jobs, first": jobs({}),
    "jobs, last offset": jobs({ offset: 49_990 }),
    "jobs, middle offset": jobs({ offset: 25_000 }),
    "jobs with an error": jobs({ statuses: ["ERROR"] }),
    "running jobs": jobs({ statuses: ["IN_PROGRESS"] }),
    "job, one": () => store.jobs.get(workspaceId, job.id),
    "failures of a job": () => store.pages.failures([read]),
    "items, newest": items({}),
    "items, newest, middle offset": items({ offset: 150_000 }),
    "items, by page": items({ sort: byPage }),
    "items, by page, middle offset": items({ sort: byPage, offset: 150_000 }),
    "items, by page, last offset": items({ sort: byPage, offset: 299_690 }),
    "items, pictures of a range": items({ sort: byPage, row: "jpg", ranges: [{ from: 50_000, to: 99_000 }] }),
    "items, newest of a range": items({ ranges: [{ from: 500, to: 99_000 }] }),
    "items, by row": items({ sort: byRow, offset: 120_000 }),
    "audit, first": audit(""),
    "audit, last offset": audit("", 199_000),
    "audit of keys": audit("key."),
    usage: () => store.usage.ofWorkspace(workspaceId),
    storage: () => store.usage.storage(workspaceId),
    uploads: () => store.uploads.list({ workspaceId, offset: 0, limit: 10, now }),
    "bytes of the cache": () => store.renditions.totalBytes(),
    "packs of a workspace": () => store.packs.inWorkspace(workspaceId),
  };
  const rows = [];
  for (const [what, call] of Object.entries(cases)) {
    await call();
    const times = await measure(call, rounds);
    rows.push(summary(what, times));
    report.bar(`${what}: p99`, percentile(times.wall, 0.99), limitMs, "ms");
  }
  report.table(`reads, ${rounds} of each, one after another`, rows);
}
