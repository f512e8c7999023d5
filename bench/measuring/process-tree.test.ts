import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { hasProcfs } from "./processes.ts";
import { treeCpuMs } from "./process-tree.ts";

const burn = (ms: number): string =>
  `for (const until = process.cpuUsage().user + ${ms}e3; process.cpuUsage().user < until; );`;

it.skipIf(!hasProcfs)("counts a process with its children, those that have ended included", async () => {
  const script = `require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(burn(100))}]);
    console.log("done"); setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(child.stdout, "data");
    expect(treeCpuMs(child.pid ?? 0)).toBeGreaterThanOrEqual(100);
  } finally {
    child.kill();
  }
});
