import { describe, expect, it } from "vitest";
import { runUpkeep, type UpkeepCosts } from "./upkeep.ts";

const nothing = { perRound: 0, perPage: 0, perAdded: 0 };
const growth = { pages: 100_000, pagesPerSecond: 100 };

describe("maintenance of a growing table", () => {
  it("indexes every page once with any schedule", () => {
    for (const minAdded of [0, 0.25, 0.5]) {
      const costs: UpkeepCosts = { cpuSeconds: nothing, writtenBytes: { ...nothing, perAdded: 7 } };
      const run = runUpkeep(growth, costs, { intervalSeconds: 10, minAdded });
      expect(run.pages).toBe(growth.pages);
      expect(run.writtenBytes).toBe(7 * growth.pages);
    }
  });

  it("writes each page (n + 1) / 2 times in n rounds that write the whole table", () => {
    const costs: UpkeepCosts = { cpuSeconds: nothing, writtenBytes: { ...nothing, perPage: 1 } };
    const run = runUpkeep(growth, costs, { intervalSeconds: 10, minAdded: 0 });
    expect(run.rounds).toBe(100);
    expect(run.writtenBytes).toBe(((100 + 1) / 2) * growth.pages);
  });

  it("writes each page about twice if a round waits until the table has doubled", () => {
    const costs: UpkeepCosts = { cpuSeconds: nothing, writtenBytes: { ...nothing, perPage: 1 } };
    const run = runUpkeep(growth, costs, { intervalSeconds: 1, minAdded: 0.5 });
    expect(run.rounds).toBeLessThan(20);
    expect(run.writtenBytes / growth.pages).toBeLessThan(3);
  });

  it("always has a round running once one takes longer than the interval", () => {
    const costs: UpkeepCosts = { cpuSeconds: { ...nothing, perRound: 60 }, writtenBytes: nothing };
    const run = runUpkeep(growth, costs, { intervalSeconds: 20, minAdded: 0 });
    expect(run.busy).toBeGreaterThan(0.95);
    expect(run.longestSeconds).toBe(60);
  });
});
