import { describe, expect, it } from "vitest";
import { cpuMs, hasProcfs, peakRssMb, procfsReason, rssMb, watchLargest } from "./processes.ts";

describe.skipIf(!hasProcfs)(`the cost of a process${hasProcfs ? "" : ` (skipped: ${procfsReason})`}`, () => {
  it("is what the process itself is told", () => {
    const { user, system } = process.cpuUsage();
    expect(Math.abs(cpuMs(process.pid) - (user + system) / 1000)).toBeLessThan(1000);
    expect(rssMb(process.pid)).toBeGreaterThan(10);
    expect(peakRssMb(process.pid)).toBeGreaterThanOrEqual(rssMb(process.pid));
  });
});

it("keeps the largest figure, the last one included", () => {
  const figures = [3, 9, 4];
  const largest = watchLargest(60_000, () => figures.shift() ?? 0);
  expect(largest.stop()).toBe(9);
  figures.push(3, 9);
  const rising = watchLargest(60_000, () => figures.shift() ?? 0);
  expect(rising.stop()).toBe(9);
});
