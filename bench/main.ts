import { rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, platform, release, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Bench, Benchmark } from "./benchmark.ts";
import { consoleInBrowser } from "./benchmarks/console.ts";
import { filters, filtersPostgres } from "./benchmarks/filters.ts";
import { ingest } from "./benchmarks/ingest.ts";
import { memory } from "./benchmarks/memory.ts";
import { metadata, metadataPostgres } from "./benchmarks/metadata.ts";
import { office } from "./benchmarks/office.ts";
import { pages } from "./benchmarks/pages.ts";
import { queue } from "./benchmarks/queue.ts";
import { searchBeside } from "./benchmarks/search-beside.ts";
import { searchS3 } from "./benchmarks/search-s3.ts";
import { search } from "./benchmarks/search.ts";
import { sessions } from "./benchmarks/sessions.ts";
import { slowClients } from "./benchmarks/slow-clients.ts";
import { soak } from "./benchmarks/soak.ts";
import { upkeep } from "./benchmarks/upkeep.ts";
import { upload } from "./benchmarks/upload.ts";
import { views } from "./benchmarks/views.ts";
import { createReport, reportText } from "./measuring/report.ts";

const benchmarks: readonly Benchmark[] = [
  pages,
  views,
  upload,
  sessions,
  search,
  searchBeside,
  searchS3,
  slowClients,
  memory,
  soak,
  office,
  metadata,
  metadataPostgres,
  filters,
  filtersPostgres,
  queue,
  ingest,
  upkeep,
  consoleInBrowser,
];

const usage = `npm run bench -- [NAME…] [--pages N] [--out FILE]

Measures drs against named peers on this machine; without names, everything.
${benchmarks.map(({ name, title }) => `  ${name.padEnd(8)} ${title}`).join("\n")}

  --pages N   how many pages soak and console vectorize, and others work on (bench/README.md)
  --out FILE  where the figures go as JSON; default: a file in the temporary folder
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { pages: { type: "string" }, out: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  const pages = values.pages === undefined ? undefined : Number(values.pages);
  const misfit = pages !== undefined && !(Number.isInteger(pages) && pages > 0);
  const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
  if (values.help === true || unknown.length > 0 || misfit) {
    if (misfit) process.stderr.write(`--pages takes a positive number of pages, not ${values.pages}\n\n`);
    if (unknown.length > 0) process.stderr.write(`there is no benchmark ${unknown.join(", ")}\n\n`);
    process.stderr.write(usage);
    process.exitCode = values.help === true ? 0 : 2;
    return;
  }

  const startedAt = new Date();
  const machine = describeMachine();
  const chosen = benchmarks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const { processor, cores, memoryGb, system, node, load } = machine;
  process.stdout.write(
    `${processor}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}, load ${load.toFixed(1)}\n`,
  );

  const folder = await mkdtemp(join(tmpdir(), "drs-bench-"));
  // Also when interrupted: large files must not stay behind.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

  const results: Record<string, unknown> = {};
  for (const benchmark of chosen) results[benchmark.name] = await runOne(benchmark, { folder, pages });

  const out = values.out ?? join(tmpdir(), `drs-bench-${startedAt.toISOString().replaceAll(/[:.]/g, "-")}.json`);
  await writeFile(out, `${JSON.stringify({ startedAt, machine, benchmarks: results }, undefined, 2)}\n`);
  await rm(folder, { recursive: true, force: true });
  process.stdout.write(`\nfigures as JSON: ${out}\n`);
}

/** A benchmark that fails must not lose the figures of the others. */
async function runOne({ name, title, run }: Benchmark, setting: Omit<Bench, "report">): Promise<unknown> {
  const since = performance.now();
  const report = createReport((text) => process.stderr.write(`  … ${text}\n`));
  let failure: string | undefined;
  process.stderr.write(`\n${name}: ${title}\n`);
  await run({ ...setting, report }).catch((cause: unknown) => {
    failure = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    process.exitCode = 1;
  });
  const seconds = (performance.now() - since) / 1000;
  process.stdout.write(`\n== ${name}: ${title} (${seconds.toFixed(0)} s)\n\n${reportText(report)}`);
  if (failure !== undefined) process.stdout.write(`\nFAILED: ${failure}\n`);
  const { tables, bars, skipped } = report;
  return { title, seconds, tables, bars, skipped, ...(failure !== undefined && { failure }) };
}

await main();

/** The machine that the figures come from. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** The load average of the last minute before the benchmarks started. */
  readonly load: number;
}

function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown",
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}
