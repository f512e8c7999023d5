import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type CommandProcess, startCommand } from "../service/command.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

let dataDir: string;
let server: ServerProcess;
const workers: CommandProcess[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-drain-"));
});
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill("SIGKILL");
    await worker.outcome;
  }
  await server.terminate();
  await rm(dataDir, { recursive: true, force: true });
});

const soon = { timeout: 60_000, interval: 20 };
const pages = (count: number): Uint8Array<ArrayBuffer> =>
  makePdf({ pages: Array.from({ length: count }, (_, index) => ({ text: `page ${index + 1} of words` })) });

async function connect(): Promise<Drs> {
  const { apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string };
  return createDrs({ server: server.url, apiKey });
}

function startWorker(...flags: string[]): CommandProcess {
  const worker = startCommand(["worker", "--data-dir", dataDir, "--workers", "1", "--log", "info", ...flags], {});
  workers.push(worker);
  return worker;
}

/** Reads rows of jobs, for fields that no call returns. */
function inStore(): { readonly held: number; readonly suspects: number } {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { readOnly: true });
  try {
    const count = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
    return {
      held: count(`select count(*) from jobs where "leaseOwner" is not null`),
      suspects: count(`select count(*) from "suspectPages"`),
    };
  } finally {
    database.close();
  }
}

async function startJob(drs: Drs): Promise<string> {
  const { id } = await drs.datasets.upload(pages(400), { vectorize: true, fileName: "long.pdf" });
  await expect.poll(async () => (await drs.jobs.get(id)).progress.pagesDone, soon).toBeGreaterThan(0);
  return id;
}

test(
  "a worker that is told to stop finishes its pages and gives the job back, and another one goes on",
  { timeout: 240_000 },
  async () => {
    server = await startServerProcess(dataDir, [], { DRS_NO_WORKER: "true" });
    const drs = await connect();
    const first = startWorker();
    const id = await startJob(drs);
    expect(inStore()).toEqual({ held: 1, suspects: 0 });
    first.kill("SIGTERM");
    expect(await first.outcome).toMatchObject({ code: 0 });
    // Not left to run out: the next worker has it at once, and suspects no page of having ended a process.
    expect(inStore()).toEqual({ held: 0, suspects: 0 });
    const state = await drs.jobs.get(id);
    expect(state).toMatchObject({ status: "IN_PROGRESS" });
    startWorker();
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [], statusText: "" });
  },
);

test("a server that starts anew beside a worker at work takes nothing from it", { timeout: 240_000 }, async () => {
  server = await startServerProcess(dataDir, ["--no-worker"]);
  const worker = startWorker();
  const id = await startJob(await connect());
  await server.kill();
  server = await startServerProcess(dataDir, ["--no-worker"]);
  expect(inStore()).toEqual({ held: 1, suspects: 0 });
  expect(await (await connect()).jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
  expect(worker.stderr().match(/"msg":"job claimed"/g)).toHaveLength(1);
});

test("a worker says how it is on a port of its own", { timeout: 240_000 }, async () => {
  server = await startServerProcess(dataDir, ["--no-worker"]);
  const worker = startWorker("--health-port", "0");
  await expect.poll(() => worker.stdout(), soon).toMatch(/health on/);
  const url = /drs worker health on (\S+)/.exec(worker.stdout())?.[1] ?? "";
  const ask = async (path: string) => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, text: await response.text() };
  };
  expect(await ask("/healthz")).toEqual({ status: 200, text: '{"status":"ok"}\n' });
  const ready = await ask("/readyz");
  expect(ready.status).toBe(200);
  expect(JSON.parse(ready.text)).toEqual({
    ready: true,
    checks: { metadata: "ok", blobs: "ok", vectors: "ok", worker: "ok" },
  });
  expect((await ask("/metrics")).text).toMatch(/^drs_worker_up 1$/m);
  expect((await ask("/nothing")).status).toBe(404);
  expect((await fetch(url, { method: "POST" })).status).toBe(405);
  worker.kill("SIGTERM");
  expect(await worker.outcome).toMatchObject({ code: 0 });
  await expect(ask("/healthz")).rejects.toThrow(/fetch failed/);
});

test(
  "a server that is told to stop says that it is not ready, and goes on answering for the delay",
  { timeout: 240_000 },
  async () => {
    server = await startServerProcess(dataDir, ["--drain-delay-ms", "4000"]);
    const drs = await connect();
    const isReady = async (): Promise<boolean> => (await fetch(`${server.url}/readyz`)).ok;
    await expect.poll(isReady, soon).toBe(true);
    const ended = server.terminate();
    await expect.poll(isReady, { timeout: 3_000, interval: 20 }).toBe(false);
    const { id } = await drs.datasets.upload(pages(1), { fileName: "late.pdf" });
    expect(await ended).toBe(0);
    server = await startServerProcess(dataDir);
    expect(await (await connect()).jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
  },
);
