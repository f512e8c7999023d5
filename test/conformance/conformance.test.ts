import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

/** Filled by `.ci/conformance`: the runner and the descriptors of the service that it calls. */
const folder = process.env["DRS_TEST_CONFORMANCE"];
const reason =
  folder === undefined ? " (skipped: DRS_TEST_CONFORMANCE names no folder that .ci/conformance filled)" : "";

test.skipIf(folder === undefined)(
  `Connect's conformance suite finds no fault with Connect, gRPC and gRPC-Web${reason}`,
  { timeout: 300_000 },
  async () => {
    const args = ["--mode", "server", "--conf", join(import.meta.dirname, "config.yaml"), "--max-servers", "2"];
    const server = [process.execPath, join(import.meta.dirname, "server.ts"), folder ?? ""];
    const runner = spawn(join(folder ?? "", "connectconformance"), [...args, "--parallel", "4", "--", ...server]);
    const [out, err, [status]] = await Promise.all([text(runner.stdout), text(runner.stderr), once(runner, "exit")]);
    const said = `${out}\n${err}`;
    expect(said).toMatch(/^[1-9]\d{3} passed, 0 failed$/m);
    expect([status, said.match(/^FAILED: .*$/gm)]).toEqual([0, null]);
  },
);
