import { readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { hasProcfs, procfsReason } from "../measuring/processes.ts";
import type { Row } from "../measuring/report.ts";
import { closeWorld, createWorld, withStores, type World } from "../search/world.ts";
import { folderBytes } from "../service/service.ts";
import { addDatasets, pagesPerDataset } from "../synthetic/library.ts";
import type { Stores } from "../../server/stores.ts";

const defaultPages = 20_000;
/** Shares of all pages; maintenance is measured as soon as each of them has been added. */
const parts = [0.1, 0.25, 0.5, 1];

export const upkeep: Benchmark = {
  name: "upkeep",
  title: "index build and compaction: rounds of maintenance of tables of growing size, after a document more",
  async run({ folder, report, pages = defaultPages }) {
    if (!hasProcfs) return report.skip("upkeep", procfsReason);
    const dataDir = await mkdtemp(join(folder, "upkeep-"));
    // No comparison with peers, which would keep all vectors in memory.
    const world = await createWorld({ folder, dataDir, maxPages: 1 });
    try {
      const rows: Row[] = [];
      for (const part of parts) {
        const size = Math.ceil((pages * part) / pagesPerDataset) * pagesPerDataset;
        report.progress(`${size} pages`);
        rows.push(await withStores(world, (stores) => measureAt(world, stores, size)));
      }
      report.table("a round of maintenance of all tables of the built-in pack, in a data folder", rows);
    } finally {
      closeWorld(world);
    }
  },
};

async function measureAt(world: World, stores: Stores, pages: number): Promise<Row> {
  const grow = async (by: number): Promise<void> => {
    const options = { ...world, stores };
    world.datasets.push(...(await addDatasets(options, by, () => undefined)));
  };
  await grow(pages / pagesPerDataset - world.datasets.length);
  const afterGrowth = await costOf(() => stores.vectors.maintain());
  await grow(1);
  const afterOne = await costOf(() => stores.vectors.maintain());
  return {
    pages,
    "after growth: CPU s": afterGrowth.cpuSeconds,
    "wall s": afterGrowth.wallSeconds,
    "MB written": afterGrowth.writtenMb,
    [`after ${pagesPerDataset} more: CPU s`]: afterOne.cpuSeconds,
    "its wall s": afterOne.wallSeconds,
    "its MB written": afterOne.writtenMb,
    "MB of vectors": (await folderBytes(join(world.dataDir, "vectors"))) / 1e6,
  };
}

interface Cost {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  /** MB written by system calls, whether or not they reach the disk. */
  readonly writtenMb: number;
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const [since, cpu, written] = [performance.now(), process.cpuUsage(), writtenBytes()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    wallSeconds: (performance.now() - since) / 1000,
    cpuSeconds: (user + system) / 1e6,
    writtenMb: (writtenBytes() - written) / 1e6,
  };
}

const writtenBytes = (): number => Number(/^wchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
