import type { Benchmark } from "../benchmark.ts";
import { billTable, ingestTable, queueTable, searchTable, storageTable, upkeepTable } from "../scaling/tables.ts";
import { world } from "../scaling/inputs.ts";

/** Needs no service: its inputs were measured before, see scaling/inputs.ts. */
export const scaling: Benchmark = {
  name: "scaling",
  title: `what ${world.pages / 1e6} million pages would take: a simulation from measured figures`,
  run: async ({ report }) => {
    report.table("CPU of all pages, by stage", ingestTable());
    report.table(`queue, if they come in ${world.ingestDays} days`, queueTable());
    report.table("what is kept", storageTable());
    report.table("maintenance of the tables of vectors while they grow", upkeepTable());
    report.table(`${world.searchesPerSecond} searches a second`, searchTable());
    report.table("a month: prices are assumptions, in no currency", billTable());
  },
};
