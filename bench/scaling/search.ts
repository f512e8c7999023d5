import { createRandom } from "../measuring/random.ts";
import type { Row } from "../measuring/report.ts";
import { runSearches } from "./fan-out.ts";
import { boundsOfTables, indexCacheBytes, pageBytes, searchCosts, searchFleet, world } from "./inputs.ts";
import { bounded, oneTable } from "./partitions.ts";
import { makeOrganisations } from "./tenants.ts";

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
