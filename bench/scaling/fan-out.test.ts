import { describe, expect, it } from "vitest";
import { createRandom } from "../measuring/random.ts";
import { runSearches } from "./fan-out.ts";
import { bounded, oneTable } from "./partitions.ts";
import { makeOrganisations } from "./tenants.ts";

const organisations = makeOrganisations(100, 1_000_000, 1);
const costs = { perTable: 0.01, perPage: 1e-8, perSearch: 0.005 };

describe("searches over tables", () => {
  it("take the time of their tables if no other search runs", () => {
    const fleet = { rate: 0.001, nodes: 1, cores: 1 };
    const options = { searches: 200, random: createRandom(1) };
    const alone = runSearches({ organisations, layout: oneTable(organisations) }, costs, fleet, options);
    expect(alone.p50).toBeCloseTo(0.01 + 0.01 + 0.005, 10);
    expect(alone.p99).toBeCloseTo(alone.p50, 10);
    expect(alone.tables).toBe(1);
  });

  it("ask more tables the smaller these are, at the same cost per page", () => {
    const fleet = { rate: 0.001, nodes: 50, cores: 4 };
    const small = runSearches({ organisations, layout: bounded(organisations, 20_000) }, costs, fleet, {
      searches: 2_000,
      random: createRandom(1),
    });
    expect(small.tables).toBeGreaterThan(1);
    expect(small.p50).toBeLessThan(0.025);
  });

  it("wait for each other as the formula of one server says", () => {
    const fleet = { rate: 20, nodes: 1, cores: 1 };
    const run = runSearches(
      { organisations, layout: oneTable(organisations) },
      { perTable: 0.03, perPage: 0, perSearch: 0 },
      fleet,
      { searches: 100_000, random: createRandom(2) },
    );
    // M/D/1: the median is above the service time, and the server is busy for ρ of the time.
    expect(run.utilisation).toBeCloseTo(0.6, 10);
    expect(run.p50).toBeGreaterThan(0.03);
    expect(run.p99).toBeLessThan(0.3);
  });
});
