import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test, vi } from "vitest";
import { residentBytes, watchMemory } from "./process-memory.ts";

const skip = process.platform !== "linux";

test.skipIf(skip)("the memory of a process is its own and that of what any of its threads has started", async () => {
  const held = 200 * 2 ** 20;
  const grandchild = `globalThis.held = Buffer.alloc(${held}, 1); console.log("held"); setInterval(() => {}, 1000);`;
  const inThread = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "inherit" });`;
  const code = `new (require("node:worker_threads").Worker)(${JSON.stringify(inThread)}, { eval: true });
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const pid = child.pid ?? 0;
  try {
    await once(child.stdout, "data");
    expect(await residentBytes(pid)).toBeGreaterThan(held);
    const excess = vi.fn<() => void>();
    const unwatch = watchMemory(pid, held, excess);
    await vi.waitUntil(() => excess.mock.calls.length > 0, { timeout: 10_000 });
    unwatch();
    expect(excess).toHaveBeenCalledTimes(1);
  } finally {
    process.kill(-pid, "SIGKILL");
  }
  await vi.waitUntil(async () => (await residentBytes(pid)) === 0, { timeout: 10_000 });
});
