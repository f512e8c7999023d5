import { createRandom } from "../measuring/random.ts";
import type { Row } from "../measuring/report.ts";
import { billOf, totalOf } from "./bill.ts";
import { runSearches } from "./fan-out.ts";
import {
  boundsOfTables,
  claimsPerSecond,
  documentRowBytes,
  indexCacheBytes,
  pageBytes,
  prices,
  requests,
  searchCosts,
  searchFleet,
  stageSeconds,
  upkeepCosts,
  upkeepIntervalSeconds,
  world,
} from "./inputs.ts";
import { bounded, oneTable } from "./partitions.ts";
import { meanWait, type Servers, serversFor, utilisation } from "./queueing.ts";
import { makeOrganisations } from "./tenants.ts";
import { runUpkeep } from "./upkeep.ts";

const daySeconds = 86_400;

/** CPU seconds that a page takes until it can be found, by stage; converting counts for the part that needs it. */
export const ingestSeconds: Readonly<Record<string, number>> = {
  convert: stageSeconds.convert * world.office,
  "read and extract": stageSeconds.read,
  "embed the picture": stageSeconds.embedPicture,
  "embed the words": stageSeconds.embedWords,
};

const allIngestSeconds = Object.values(ingestSeconds).reduce((sum, seconds) => sum + seconds, 0);

export function ingestTable(): Row[] {
  const line = (stage: string, seconds: number): Row => ({
    stage,
    "CPU ms a page": seconds * 1000,
    "CPU hours a million": (seconds * 1e6) / 3600,
    "cores for all in the time": coresFor(seconds),
  });
  const lines = Object.entries(ingestSeconds).map(([stage, seconds]) => line(stage, seconds));
  return [...lines, line("all", allIngestSeconds)];
}

/** Returns the cores needed at the target utilisation. */
const coresFor = (seconds: number): number =>
  (seconds * world.pages) / (world.ingestDays * daySeconds) / world.utilisation;

/** Models documents as arrivals and workers as servers. */
export function queueTable(): Row[] {
  const documents = world.pages / world.pagesPerDocument / (world.ingestDays * daySeconds);
  const load: Omit<Servers, "count"> = {
    arrivals: documents,
    serviceSeconds: allIngestSeconds * world.pagesPerDocument,
  };
  return [1, 10, 60].map((maxWaitSeconds): Row => {
    const count = serversFor(load, maxWaitSeconds);
    return {
      "documents a second": documents,
      "mean wait wanted, s": maxWaitSeconds,
      "worker cores": count,
      "mean wait, s": meanWait({ ...load, count }),
      "cores at work": utilisation({ ...load, count }),
      "claims, part of the bar": documents / claimsPerSecond,
    };
  });
}

const documents = world.pages / world.pagesPerDocument;
const { vectors } = pageBytes;

/** Bytes by kind, except those in PostgreSQL, which have another price. */
const objectBytes: Readonly<Record<string, number>> = {
  originals: pageBytes.original * world.pages,
  "converted PDFs": pageBytes.converted * world.pages * world.office,
  "vectors of text": vectors.text * world.pages,
  "vectors of pictures": vectors.picture * world.pages,
  "vectors of kinds": vectors.kinds * world.pages,
  "words for the index": vectors.words * world.pages,
  "renditions, bounded": world.cacheBytes,
};

const databaseBytes: Readonly<Record<string, number>> = {
  "rows of pages": pageBytes.rows * world.pages,
  "rows of documents": documentRowBytes * documents,
};

const sumOf = (amounts: Readonly<Record<string, number>>): number =>
  Object.values(amounts).reduce((sum, amount) => sum + amount, 0);

export function storageTable(): Row[] {
  const lines = (where: string, amounts: Readonly<Record<string, number>>): Row[] =>
    Object.entries({ ...amounts, all: sumOf(amounts) }).map(([kind, bytes]) => ({
      where,
      kind,
      TB: bytes / 1e12,
      "GB a million pages": bytes / 1e9 / (world.pages / 1e6),
    }));
  return [...lines("objects", objectBytes), ...lines("PostgreSQL", databaseBytes)];
}

const schedules = [
  { name: "every minute, as it is", minAdded: 0 },
  { name: "when a tenth has been added", minAdded: 0.1 },
];

/** Simulates each table by itself, at its share of the rate. One table stands for all of the same size. */
export function upkeepTable(): Row[] {
  const organisations = makeOrganisations(world.organisations, world.pages, world.exponent);
  const seconds = world.ingestDays * 86_400;
  const layouts = [
    { name: "one", layout: oneTable(organisations) },
    ...boundsOfTables.map((pages) => ({
      name: `at most ${pages / 1e6} million`,
      layout: bounded(organisations, pages),
    })),
  ];
  return layouts.flatMap(({ name, layout }) =>
    schedules.map((schedule): Row => {
      const count = layout.partitions.length;
      const pages = Math.round(world.pages / count);
      const run = runUpkeep({ pages, pagesPerSecond: pages / seconds }, upkeepCosts, {
        intervalSeconds: upkeepIntervalSeconds,
        minAdded: schedule.minAdded,
      });
      return {
        tables: name,
        "how many": count,
        "a round": schedule.name,
        "longest round, s": run.longestSeconds,
        "CPU hours in all": (run.cpuSeconds * count) / 3600,
        "TB written": (run.writtenBytes * count) / 1e12,
        "maintainers needed": (run.cpuSeconds * count) / seconds,
      };
    }),
  );
}

const searches = 20_000;

/** The performance of searches that are spread over the nodes by table. */
export function searchTable(): Row[] {
  const organisations = makeOrganisations(world.organisations, world.pages, world.exponent);
  const layouts = [
    { name: "one", layout: oneTable(organisations) },
    ...boundsOfTables.map((pages) => ({
      name: `at most ${pages / 1e6} million`,
      layout: bounded(organisations, pages),
    })),
  ];
  const fleet = { ...searchFleet, rate: world.searchesPerSecond };
  return layouts.map(({ name, layout }): Row => {
    const random = createRandom(world.seed);
    const run = runSearches({ organisations, layout }, searchCosts, fleet, { searches, random });
    const largest = Math.max(...layout.partitions.map(({ pages }) => pages));
    return {
      tables: name,
      "how many": layout.partitions.length,
      "tables of a search": run.tables,
      "most tables": Math.max(...layout.ofOrganisation.map(({ length }) => length)),
      "CPU s of a search": run.cpuSeconds,
      "p50 s": run.p50,
      "p99 s": run.p99,
      "cores needed": (run.cpuSeconds * world.searchesPerSecond) / world.utilisation,
      [`asked of ${fleet.nodes * fleet.cores} cores`]: run.utilisation,
      "codes of the largest / cache": (largest * pageBytes.codes) / indexCacheBytes,
      "GB of codes a node": (world.pages * pageBytes.codes) / 1e9 / searchFleet.nodes,
    };
  });
}

const monthSeconds = 30 * 86_400;

/** The bill of a month with all pages, in which some were added. Searches run among tables of some hundred thousand pages. */
export function billTable(): Row[] {
  const pagesOfMonth = (world.pages * 30) / world.ingestDays;
  const documents = pagesOfMonth / world.pagesPerDocument;
  const [searches, views] = [world.searchesPerSecond * monthSeconds, world.viewsPerSecond * monthSeconds];
  const firstViews = views * (1 - world.cachedViews);
  const cpuSeconds =
    pagesOfMonth * allIngestSeconds +
    searches * (searchCosts.perSearch + searchCosts.perTable) +
    firstViews * stageSeconds.render +
    (views - firstViews) * stageSeconds.cachedView;
  const requestsOf = (kind: "reads" | "writes"): number =>
    documents * requests.document[kind] +
    pagesOfMonth * requests.page[kind] +
    firstViews * requests.view[kind] +
    searches * requests.search[kind];
  const lines = billOf(
    {
      objectBytes: sumOf(objectBytes),
      databaseBytes: sumOf(databaseBytes),
      coreHours: cpuSeconds / 3600 / world.utilisation,
      writes: requestsOf("writes"),
      reads: requestsOf("reads"),
    },
    prices,
  );
  return [
    ...lines.map(({ what, amount, cost }): Row => ({ what, amount, price: String(prices[what]), cost })),
    { what: "all", amount: "", price: "", cost: totalOf(lines) },
  ];
}
