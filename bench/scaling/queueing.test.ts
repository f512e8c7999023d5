import { describe, expect, it } from "vitest";
import { createRandom } from "../measuring/random.ts";
import { mean } from "../measuring/statistics.ts";
import { meanWait, runServers, serversFor, utilisation, waitingPart } from "./queueing.ts";

describe("M/M/c", () => {
  it("is as in textbooks for one server: ρ of arrivals wait, and stay for 1 / (μ - λ)", () => {
    const one = { count: 1, arrivals: 0.8, serviceSeconds: 1 };
    expect(waitingPart(one)).toBeCloseTo(0.8, 12);
    expect(meanWait(one) + 1).toBeCloseTo(1 / (1 - 0.8), 12);
  });

  it("is as in textbooks for two servers: a wait of ρ² / (1 - ρ²) service times", () => {
    const two = { count: 2, arrivals: 1.5, serviceSeconds: 1 };
    const used = utilisation(two);
    expect(meanWait(two)).toBeCloseTo(used ** 2 / (1 - used ** 2), 12);
  });

  it("is infinite if more arrives than can be served", () => {
    expect(meanWait({ count: 3, arrivals: 3, serviceSeconds: 1 })).toBe(Number.POSITIVE_INFINITY);
    expect(waitingPart({ count: 3, arrivals: 4, serviceSeconds: 1 })).toBe(1);
  });

  it.each([
    { count: 1, arrivals: 0.5, serviceSeconds: 1 },
    { count: 4, arrivals: 3.2, serviceSeconds: 1 },
    { count: 32, arrivals: 280, serviceSeconds: 0.1 },
  ])("runs as the formula says, and as Little's law does: %o", (servers) => {
    const run = runServers(servers, 400_000, createRandom(3));
    expect(mean(run.waits)).toBeGreaterThan(0.9 * meanWait(servers));
    expect(mean(run.waits)).toBeLessThan(1.1 * meanWait(servers));
    const arrivals = run.times.length / run.seconds;
    expect(arrivals / servers.arrivals).toBeCloseTo(1, 1);
    // Formula and run count differently: the run by the times of arrivals, the formula by their rate.
    const expected = servers.arrivals * (meanWait(servers) + servers.serviceSeconds);
    expect(run.inSystem / expected).toBeGreaterThan(0.9);
    expect(run.inSystem / expected).toBeLessThan(1.1);
  });

  it("needs the fewest servers that keep the wait", () => {
    const load = { arrivals: 50, serviceSeconds: 0.2 };
    const count = serversFor(load, 0.05);
    expect(meanWait({ ...load, count })).toBeLessThanOrEqual(0.05);
    expect(meanWait({ ...load, count: count - 1 })).toBeGreaterThan(0.05);
  });
});
