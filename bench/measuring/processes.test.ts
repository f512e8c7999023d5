import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { cpuMs, hasProcfs, peakRssMb, procfsReason, rssMb, treeCpuMs, watchLargest } from "./processes.ts";

/** The kernel counts in batches per thread, so two samples may differ by some pages. */
const batchMb = 1;

describe.skipIf(!hasProcfs)(`the cost of a process${hasProcfs ? "" : ` (skipped: ${procfsReason})`}`, () => {
  it("equals what the process itself reports", () => {
    const { user, system } = process.cpuUsage();
    expect(Math.abs(cpuMs(process.pid) - (user + system) / 1000)).toBeLessThan(1000);
    expect(rssMb(process.pid)).toBeGreaterThan(10);
    const now = rssMb(process.pid);
    expect(peakRssMb(process.pid)).toBeGreaterThanOrEqual(now - batchMb);
  });
});

it.each([
  [3, 9],
  [9, 3],
])("keeps the largest of %d and then %d", (...figures) => {
  const largest = watchLargest(60_000, () => figures.shift() ?? 0);
  expect(largest.stop()).toBe(9);
});

const burn = (ms: number): string =>
  `for (const until = process.cpuUsage().user + ${ms}e3; process.cpuUsage().user < until; );`;

it.skipIf(!hasProcfs)(
  `counts a process with its children, those that have ended included${hasProcfs ? "" : ` (skipped: ${procfsReason})`}`,
  async () => {
    const script = `require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(burn(100))}]);
    console.log("done"); setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    try {
      await once(child.stdout, "data");
      expect(treeCpuMs(child.pid ?? 0)).toBeGreaterThanOrEqual(100);
    } finally {
      child.kill();
    }
  },
);
