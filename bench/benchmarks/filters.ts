import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "../../test/servers/postgres.ts";
import { newFounding } from "../../server/domain/organisations/found.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import type { Benchmark } from "../benchmark.ts";
import { defaultCount, enterDatasets } from "../filters/collection.ts";
import { indexDatasets } from "../filters/index-datasets.ts";
import { measureLists } from "../filters/lists.ts";
import { measureSearches } from "../filters/searches.ts";
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
