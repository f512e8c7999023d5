import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { measureReads } from "../metadata/reads.ts";
import { measureWrites } from "../metadata/writes.ts";
import { stockUp } from "../metadata/stock.ts";

export const metadata: Benchmark = {
  name: "metadata",
  title: "claims, lists, polls and deletions beside 200,000 datasets, 1,000,000 pages and 50,000 queued jobs",
  async run({ folder, report }) {
    const dataDir = await mkdtemp(join(folder, "metadata-"));
    report.progress("filling the database");
    const { store, stock, now } = await stockUp(dataDir, report);
    try {
      report.progress("reading");
      await measureReads(store, stock, now, report);
      report.progress("claiming and deleting");
      await measureWrites(store, stock, now, report);
    } finally {
      await store.close();
    }
  },
};
