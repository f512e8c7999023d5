import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { hasS3Server, s3Reason, type S3Server, startS3Server } from "../../test/servers/s3.ts";
import type { Bench, Benchmark } from "../benchmark.ts";
import { hasProcfs, procfsReason } from "../measuring/processes.ts";
import type { Row } from "../measuring/report.ts";
import { percentile } from "../measuring/statistics.ts";
import { searches, searchOnce } from "../search/rest.ts";
import { closeWorld, createWorld, type Scope, scopes, withStores, type World } from "../search/world.ts";
import { countS3Requests, type S3Counter } from "../service/s3-requests.ts";
import { type Service, withService } from "../service/service.ts";
import { addDatasets, pagesPerDataset } from "../synthetic/library.ts";

const defaultPages = 10_000;
/** Searches that are not counted: they load the pack, the tables and the caches. */
const warmUps = 20;
/** Searches whose requests are counted. */
const counted = 20;
const maxRatio = 2;

export const searchS3: Benchmark = {
  name: "search-s3",
  title: "search over REST with vectors in S3, against the same vectors in the data folder",
  async run(bench) {
    if (!hasS3Server) return bench.report.skip("search-s3", s3Reason.trim());
    if (!hasProcfs) return bench.report.skip("search-s3", procfsReason);
    const s3 = await startS3Server();
    try {
      await compare(bench, s3);
    } finally {
      await s3.stop();
    }
  },
};

/** One service and its library. */
interface Side {
  readonly world: World;
  readonly service: Service;
  readonly times: Record<Scope, number[]>;
  readonly cpuMs: Record<Scope, number>;
}

async function compare(bench: Bench, s3: S3Server): Promise<void> {
  const { folder, report, pages = defaultPages } = bench;
  // The stores that this process fills read these variables, too.
  Object.assign(process.env, s3.variables());
  const local = await fill(bench, "the data folder", pages, undefined);
  const remote = await fill(bench, "S3", pages, `s3://${s3.bucket}/vectors`);
  const DRS_VECTOR_URL = remote.vectorUrl ?? "";
  try {
    report.progress(`searching ${pages} pages`);
    const sides = await withService({ folder, dataDir: local.dataDir }, (near) =>
      withService({ folder, dataDir: remote.dataDir, env: { DRS_VECTOR_URL } }, async (far) => {
        const [here, there] = [sideOf(local, near), sideOf(remote, far)];
        await searchByTurns([here, there]);
        return { here, there };
      }),
    );
    tell(bench, pages, { ...sides, requests: await requestsOf(bench, s3, remote) });
  } finally {
    closeWorld(local);
    closeWorld(remote);
  }
}

/** Returns the S3 requests per search, by scope. They are counted apart from the timing, because counting takes time. */
async function requestsOf({ folder, report }: Bench, s3: S3Server, world: World): Promise<Record<Scope, number>> {
  report.progress("counting requests");
  const counter = await countS3Requests(s3.url, s3.bucket);
  const env = { ...s3.variables(counter.url), DRS_VECTOR_URL: world.vectorUrl ?? "" };
  const found: Record<Scope, number> = { workspace: 0, "one dataset": 0 };
  try {
    await withService({ folder, dataDir: world.dataDir, env }, async (service) => {
      for (let index = 0; index < warmUps + counted; index++) {
        for (const scope of scopes) {
          const before = sum(counter);
          await searchOnce(world, service, scope);
          if (index >= warmUps) found[scope] += (sum(counter) - before) / counted;
        }
      }
    });
  } finally {
    await counter.close();
  }
  return found;
}

/** Fills a library. Every library is made from the same random numbers, so all of them hold the same pages. */
async function fill({ folder, report }: Bench, place: string, pages: number, vectorUrl: string | undefined) {
  report.progress(`filling ${place} with ${pages} pages`);
  const own = await mkdtemp(join(folder, "search-"));
  const world = await createWorld({ folder: own, dataDir: join(own, "data"), vectorUrl, maxPages: 1 });
  await withStores(world, async (stores) => {
    const options = { ...world, stores };
    world.datasets.push(...(await addDatasets(options, pages / pagesPerDataset, () => undefined)));
    await stores.vectors.maintain();
  });
  return world;
}

const sideOf = (world: World, service: Service): Side => ({
  world,
  service,
  times: { workspace: [], "one dataset": [] },
  cpuMs: { workspace: 0, "one dataset": 0 },
});

async function searchByTurns(sides: readonly Side[]): Promise<void> {
  for (let index = 0; index < warmUps + searches; index++) {
    for (const scope of scopes) {
      for (const side of sides) {
        const before = side.service.cpuMs();
        const time = await searchOnce(side.world, side.service, scope);
        if (index < warmUps) continue;
        side.times[scope].push(time);
        side.cpuMs[scope] += side.service.cpuMs() - before;
      }
    }
  }
}

const sum = (counter: S3Counter): number => [...counter.counts().values()].reduce((all, count) => all + count, 0);

function tell(
  { report }: Bench,
  pages: number,
  { here, there, requests }: { here: Side; there: Side; requests: Record<Scope, number> },
): void {
  const rows = scopes.map((scope): Row => {
    const [near, far] = [percentile(here.times[scope], 0.5), percentile(there.times[scope], 0.5)];
    const ratios = here.times[scope].map((time, index) => (there.times[scope][index] ?? 0) / time);
    return {
      "searched in": scope,
      "data folder p50 ms": near,
      "S3 p50 ms": far,
      "S3 / data folder": far / near,
      "of each pair, p50": percentile(ratios, 0.5),
      "data folder CPU ms": here.cpuMs[scope] / searches,
      "S3 CPU ms": there.cpuMs[scope] / searches,
      "requests to S3": requests[scope],
    };
  });
  report.table(`${pages} pages, ${searches} searches in each, by turns, after ${warmUps} that do not count`, rows);
  for (const [index, scope] of scopes.entries()) {
    report.bar(`${pages} pages, ${scope}: S3 / data folder`, Number(rows[index]?.["S3 / data folder"]), maxRatio, "×");
  }
}
