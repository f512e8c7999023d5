import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench, Benchmark } from "../benchmark.ts";
import type { Row } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { hasProcfs, procfsReason } from "../measuring/processes.ts";
import { pdfOf, withService } from "../service/service.ts";
import { type Alone, measureAlone } from "../search/alone.ts";
import {
  addDocuments,
  askAll,
  askBeside,
  missingQuestions,
  type RealQuestions,
  readQuestions,
  sizes,
} from "../search/questions.ts";
import { measureRest, searches } from "../search/rest.ts";
import { closeWorld, createWorld, growTo, limit, type Scope, scopes, withStores } from "../search/world.ts";

const scales = [3_000, 10_000, 100_000];
/** Milliseconds that a search in the workspace may take over REST, by the number of its pages. */
const limits = new Map([[100_000, { p50: 30, p99: 120 }]]);

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
        // Stores and peers are measured first, so that the service then has the machine to itself.
        const alone = await withStores(world, (stores) => measureAlone(world, stores));
        const rest = await withService({ folder, dataDir }, (service) => measureRest(world, service));
        tell(bench, pages, { alone, rest });
      }
    } finally {
      closeWorld(world);
    }
    const missing = hasProcfs ? missingQuestions : procfsReason;
    if (missing === undefined) await askReal(bench, await readQuestions());
    else report.skip("real questions", missing);
  },
};

/** Concurrent questions that keep the machine busy. */
const manyAtOnce = 16;
/** Milliseconds after which unused versions of the index are deleted. */
const settledMs = 20_000;
/** A document of more than a thousand pages, vectorized while questions are asked. */
const large = "pgfmanual";
/** Limits for real questions among about 3,000 real pages, on two processors. */
const realLimits = { cpuMs: 18, p50Ms: 15, aSecond: 80, besideRatio: 2, keptKb: 11 };

async function askReal({ folder, report }: Bench, real: RealQuestions): Promise<void> {
  const dataDir = await mkdtemp(join(folder, "real-"));
  await withService({ folder, dataDir }, async (service) => {
    report.progress("vectorizing real documents");
    const pages = await addDocuments(service, real);
    await sleep(settledMs);
    report.progress(`asking ${real.questions.length} real questions`);
    const [one, many] = [await askAll(service, real, 1), await askAll(service, real, manyAtOnce)];
    const bytes = await sizes(service, pages);
    const beside = await askBeside(service, real, pdfOf(large));
    report.table(`${real.questions.length} real questions among ${pages} real pages, over REST`, [
      one.row,
      many.row,
      { "at once": 1, "p50 ms": beside.p50, beside: `${large} being vectorized (${beside.asked} asked)` },
    ]);
    report.table("KB a page", [bytes]);
    report.bar("real questions: CPU a question", one.cpuMs, realLimits.cpuMs, "ms");
    report.bar("real questions: p50", one.p50, realLimits.p50Ms, "ms");
    report.bar("real questions: milliseconds each, 16 at once", 1000 / many.aSecond, 1000 / realLimits.aSecond, "ms");
    report.bar("real questions: p50 beside vectorizing / at rest", beside.p50 / one.p50, realLimits.besideRatio, "×");
    report.bar("features and index a page", bytes.features + bytes.index, realLimits.keptKb, "KB");
  });
}

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
  if (most !== undefined) {
    report.bar(`${pages} pages: REST p50`, percentile(rest.workspace, 0.5), most.p50, "ms");
    report.bar(`${pages} pages: REST p99`, percentile(rest.workspace, 0.99), most.p99, "ms");
  }
  report.table(`${pages} pages: the vector store alone; recall of the first ${limit} against brute force`, ofStores);
}
