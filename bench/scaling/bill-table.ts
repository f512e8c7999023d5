import type { Row } from "../measuring/report.ts";
import { billOf, totalOf } from "./bill.ts";
import { allIngestSeconds } from "./ingest.ts";
import { requests, searchCosts, stageSeconds, world, prices } from "./inputs.ts";
import { databaseBytes, objectBytes, sumOf } from "./storage.ts";

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
