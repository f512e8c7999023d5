import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Benchmark } from "../benchmark.ts";
import { hasProcfs, procfsReason } from "../measuring/processes.ts";
import type { Report, Row } from "../measuring/report.ts";
import { postgresPrograms, startPostgres, withoutPostgres } from "../../test/servers/postgres.ts";
import { type Idle, runIdleJobs } from "../queue/idle-jobs.ts";
import { meterDatabase } from "../service/database.ts";

/** Pages of a document, and how many documents of them are run. */
const documents = [
  { pages: 1, count: 200 },
  { pages: 20, count: 50 },
  { pages: 500, count: 10 },
];
/** Milliseconds of the queue's CPU per page. For a document of one page this is the cost of a job. */
const limitMs = 2;

export const queue: Benchmark = {
  name: "queue",
  title: "what a page costs beside the work on it: jobs whose pages take nothing, in both databases",
  async run({ folder, report }) {
    if (!hasProcfs) return report.skip("queue", procfsReason);
    const dataDir = await mkdtemp(join(folder, "queue-"));
    tell(report, "SQLite", await runAll({ dataDir, databaseUrl: undefined }, () => 0));
    if (postgresPrograms() === undefined) return report.skip("queue in PostgreSQL", withoutPostgres.trim());
    const server = await startPostgres(["fsync=on", "shared_buffers=256MB"]);
    const databaseUrl = await server.createDatabase();
    const meter = await meterDatabase(databaseUrl);
    try {
      const own = await mkdtemp(join(folder, "queue-"));
      tell(report, "PostgreSQL", await runAll({ dataDir: own, databaseUrl }, meter.cpuMs));
    } finally {
      await meter.close();
      await server.close();
    }
  },
};

async function runAll(
  place: { readonly dataDir: string; readonly databaseUrl: string | undefined },
  databaseCpuMs: () => number,
): Promise<readonly Idle[]> {
  return runIdleJobs({ ...place, databaseCpuMs }, documents);
}

function tell(report: Report, engine: string, measured: readonly Idle[]): void {
  report.table(
    `${engine}: CPU of jobs whose pages take nothing, from the row of the dataset to the end of the job`,
    measured.map(({ pages, count, processMs, databaseMs }): Row => {
      const all = processMs + databaseMs;
      return {
        "pages of a document": pages,
        documents: count,
        "worker CPU ms/document": processMs / count,
        "database CPU ms/document": databaseMs / count,
        "CPU ms/page": all / count / pages,
      };
    }),
  );
  for (const { pages, count, processMs, databaseMs } of measured) {
    if (pages === 1) continue;
    const perPage = (processMs + databaseMs) / count / pages;
    report.bar(`${engine}: CPU of the queue for a page of ${pages}`, perPage, limitMs, "ms");
  }
}
