import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { readFilter } from "../../server/domain/filters/read.ts";
import type { WorkspaceId } from "../../server/domain/ids.ts";
import { newFounding } from "../../server/domain/organisations/found.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { startPostgres } from "../../test/servers/postgres.ts";
import type { Benchmark } from "../benchmark.ts";
import { defaultCount, enterDatasets, indexDatasets, shares } from "../filters/collection.ts";
import { measureSearches } from "../filters/searches.ts";
import type { Report } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { measure, summary } from "../metadata/times.ts";
import { closeWorld, createWorld, withStores } from "../search/world.ts";

const title = "lists and searches by metadata among 100,000 datasets";

export const filters: Benchmark = {
  name: "filters",
  title,
  async run({ folder, pages, report }) {
    const dataDir = await mkdtemp(join(folder, "filters-"));
    const world = await createWorld({ folder, dataDir, maxPages: 1 });
    try {
      report.progress("entering datasets");
      const datasets = await enterDatasets({ url: undefined, dataDir }, world.workspaceId, pages ?? defaultCount);
      await withStores(world, async (stores) => {
        report.progress("listing");
        await measureLists(stores.metadata, world.workspaceId, report);
        report.progress("indexing");
        await indexDatasets(world, stores, datasets);
        report.progress("searching");
        await measureSearches(world, stores, datasets, report);
      });
    } finally {
      closeWorld(world);
    }
  },
};

export const filtersPostgres: Benchmark = {
  name: "filters-postgres",
  title: "in PostgreSQL: lists by metadata among 100,000 datasets",
  async run({ pages, report }) {
    const server = await startPostgres(["fsync=on", "shared_buffers=256MB"]);
    try {
      const place = { url: await server.createDatabase(), dataDir: "" };
      const metadata = await openMetadata(place);
      try {
        const founding = { name: "Bench", plan: "unlimited", isOperator: true, keyName: "first" };
        const { organisation, workspace, key } = newFounding(founding, Date.now());
        const { key: _secret, ...row } = key;
        await metadata.organisations.create({ organisation, workspace, key: row }, []);
        report.progress("entering datasets");
        await enterDatasets(place, workspace.id, pages ?? defaultCount);
        report.progress("listing");
        await measureLists(metadata, workspace.id, report);
      } finally {
        await metadata.close();
      }
    } finally {
      await server.close();
    }
  },
};

const rounds = 100;
const limitMs = 20;

const others: readonly (readonly [what: string, filter: unknown])[] = [
  ["a value of many", { customer: 42 }],
  ["two fields", { customer: { $in: [1, 2, 3] }, year: { $gte: 2020 } }],
  ["a value of a list", { tags: "tag3", hundredth: 5 }],
  ["either of two", { $or: [{ customer: 42 }, { hundredth: 7 }] }],
  ["one and not another", { hundredth: 7, draft: { $ne: true } }],
];

/** Measures filtered lists, each many times: p50 and p99. */
async function measureLists(metadata: Metadata, workspaceId: WorkspaceId, report: Report): Promise<void> {
  const rows = [];
  for (const [what, filter] of [...shares, ...others]) {
    const query = {
      workspaceId,
      types: [],
      sha256: [],
      filter: readFilter(filter),
      sort: [{ property: "createdAt", descending: true }] as const,
      offset: 0,
      limit: 10,
      now: Date.now(),
    };
    const { total } = await metadata.datasets.list(query);
    const times = await measure(() => metadata.datasets.list(query), rounds);
    rows.push({ ...summary(what, times), datasets: total });
    report.bar(`list by a filter, ${what}: p99`, percentile(times.wall, 0.99), limitMs, "ms");
  }
  report.table(`lists of datasets by filters, ${rounds} of each, one after another`, rows);
}
