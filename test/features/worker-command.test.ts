import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs } from "@drs/client";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { childrenOf, isRunning } from "../service/children.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

let dataDir: string;
let server: ServerProcess;
let command: CommandProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-worker-"));
  server = await startServerProcess(dataDir, ["--no-worker"]);
});
afterAll(async () => {
  await server.terminate();
  await rm(dataDir, { recursive: true, force: true });
});

/** The child in which `drs worker` opens documents. */
const workers = (): readonly number[] => childrenOf(command.pid, "worker-process");

async function start(): Promise<number> {
  command = startCommand(["worker", "--data-dir", dataDir, "--log", "error"], {});
  await expect.poll(() => workers().length, { timeout: 60_000 }).toBe(1);
  return workers()[0] ?? 0;
}

test("drs worker replaces its worker process, and ends together with it", async () => {
  const first = await start();
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  const drs = createDrs({ server: server.url, apiKey });
  const pages = Array.from({ length: 40 }, (_, index) => ({ text: `page ${index + 1}` }));
  const upload = async (fileName: string) =>
    drs.jobs.wait((await drs.datasets.upload(makePdf({ pages }), { fileName })).id);
  expect(await upload("first.pdf")).toMatchObject({ status: "SUCCESS" });
  process.kill(first, "SIGKILL");
  expect(await upload("second.pdf")).toMatchObject({ status: "SUCCESS", failures: [] });
  const [second = 0] = workers();
  expect(second).not.toBe(first);
  command.kill("SIGTERM");
  expect(await command.outcome).toMatchObject({ code: 0, stdout: "drs worker ready\n" });
  expect(isRunning(second)).toBe(false);

  const third = await start();
  command.kill("SIGKILL");
  await command.outcome;
  await expect.poll(() => isRunning(third), { timeout: 30_000 }).toBe(false);
}, 180_000);

test("a worker that cannot start ends the command with an error", async () => {
  const failing = startCommand(["worker", "--data-dir", dataDir, "--url-allow", "no:host"], {});
  const { code, stderr } = await failing.outcome;
  expect(code).not.toBe(0);
  expect(stderr).toContain("no:host");
  expect(stderr).not.toContain("unknown option");
});
