import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { measureReads } from "../metadata/reads.ts";
import { measureClaimers, measureWrites } from "../metadata/writes.ts";
import { type Place, stockUp } from "../metadata/stock.ts";
import { startPostgres } from "../../test/servers/postgres.ts";
import type { Report } from "../measuring/report.ts";

const title = "claims, lists, polls and deletions beside 200,000 datasets, 1,000,000 pages and 50,000 queued jobs";

export const metadata: Benchmark = {
  name: "metadata",
  title,
  async run({ folder, report }) {
    await measurePlace({ dataDir: await mkdtemp(join(folder, "metadata-")) }, report);
  },
};

export const metadataPostgres: Benchmark = {
  name: "metadata-postgres",
  title: `in PostgreSQL: ${title}`,
  async run({ report }) {
    // As on an operator's server: answered writes survive a power cut.
    const server = await startPostgres(["fsync=on", "shared_buffers=256MB"]);
    try {
      const url = await server.createDatabase();
      await measurePlace({ url }, report);
      report.progress("claiming with several workers");
      await measureClaimers(url, report);
    } finally {
      await server.close();
    }
  },
};

async function measurePlace(place: Place, report: Report): Promise<void> {
  report.progress("filling the database");
  const { store, stock, now } = await stockUp(place, report);
  try {
    report.progress("reading");
    await measureReads(store, stock, now, report);
    report.progress("claiming and deleting");
    await measureWrites(store, stock, now, report);
  } finally {
    await store.close();
  }
}
