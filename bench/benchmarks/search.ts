import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Bench, Benchmark } from "../benchmark.ts";
import type { Row } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { withService } from "../service/service.ts";
import { type Alone, measureAlone } from "../search/alone.ts";
import { measureRest, searches } from "../search/rest.ts";
import { closeWorld, createWorld, growTo, limit, type Scope, scopes, withStores } from "../search/world.ts";

const scales = [1_000, 10_000, 100_000];
/** Milliseconds that the store may take for a question in words, by pages in the workspace. */
const limits = new Map([
  [10_000, 15],
  [100_000, 60],
]);

export const search: Benchmark = {
  name: "search",
  title: `search over REST at ${scales.map((pages) => `${pages / 1000}k`).join(", ")} synthetic pages, against brute force and FTS5`,
  async run(bench) {
    const { folder, report } = bench;
    const dataDir = await mkdtemp(join(folder, "search-"));
    const world = await createWorld({ folder, dataDir, maxPages: Math.max(...scales) });
    try {
      for (const pages of scales) {
        report.progress(`filling up to ${pages} pages`);
        await withStores(world, (stores) => growTo(world, stores, pages));
        report.progress(`searching ${pages} pages`);
        // Stores and peers first: the service then has the machine to itself.
        const alone = await withStores(world, (stores) => measureAlone(world, stores));
        const rest = await withService({ folder, dataDir }, (service) => measureRest(world, service));
        tell(bench, pages, { alone, rest });
      }
    } finally {
      closeWorld(world);
    }
  },
};

interface Measured {
  readonly alone: Record<Scope, Alone>;
  readonly rest: Record<Scope, readonly number[]>;
}

function tell({ report }: Bench, pages: number, { alone, rest }: Measured): void {
  const overRest = scopes.map((scope): Row => {
    const { bruteForce, fullText } = alone[scope];
    const p50 = percentile(rest[scope], 0.5);
    return {
      "searched in": scope,
      "REST p50 ms": p50,
      "REST p99 ms": percentile(rest[scope], 0.99),
      "brute force p50": bruteForce,
      "FTS5 p50": fullText,
      "REST / both": p50 / (bruteForce + fullText),
    };
  });
  report.table(
    `${pages} pages, ${searches} searches each by ${limit} results; brute force compares the same text vectors, FTS5 the same words`,
    overRest,
  );
  const ofStores = scopes.map((scope): Row => {
    const { spaces, together, togetherCpu, recall } = alone[scope];
    const times = Array.from(spaces, ([name, time]) => [`${name} p50 ms`, time] as const);
    const both = { "words + text p50 ms": together, "its CPU ms": togetherCpu };
    return { "searched in": scope, ...Object.fromEntries(times), ...both, "text recall": recall };
  });
  const most = limits.get(pages);
  if (most !== undefined) report.bar(`${pages} pages: words + text p50`, alone.workspace.together, most, "ms");
  report.table(`${pages} pages: the vector store alone; recall of the first ${limit} against brute force`, ofStores);
}
