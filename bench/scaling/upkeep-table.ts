import type { Row } from "../measuring/report.ts";
import { boundsOfTables, upkeepCosts, upkeepIntervalSeconds, world } from "./inputs.ts";
import { bounded, oneTable } from "./partitions.ts";
import { makeOrganisations } from "./tenants.ts";
import { runUpkeep } from "./upkeep.ts";

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
