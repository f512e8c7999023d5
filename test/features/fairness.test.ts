import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

const queued = 1_000;
/** More workspaces than jobs may start before the one that is looked for, with several documents each. */
const workspaces = 40;
const queuedOfWorkspaces = 400;
/** A worker of one thread works on three jobs at a time, so that one which waits does not keep it idle. */
const jobsAtATime = 3;
/** Uploads on their way at the same time. */
const lanes = 16;

let dataDir: string;
let server: ServerProcess;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-fairness-"));
});
afterEach(async () => {
  await server.terminate();
  await rm(dataDir, { recursive: true, force: true });
});

const pdf = (text: string) => makePdf({ pages: [{ text }] });

async function connect(): Promise<Drs> {
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  return createDrs({ server: server.url, apiKey });
}

/** Uploads a document of a page for each of the clients in turn, `count` in all. */
async function fill(clients: readonly Drs[], count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values();
  const lane = async (): Promise<void> => {
    for (const index of numbers) {
      const drs = clients[index % clients.length];
      await drs?.datasets.upload(pdf(`large ${index}`), { fileName: `large ${index}.pdf` });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/**
 * Starts the worker, and uploads a document of `smallKey` when it is in the middle of what the others have in the queue. How
 * many jobs of the others started before that one, once it was there, and how many after it.
 */
async function uploadAmong(
  largeKeys: readonly string[],
  smallKey: string,
): Promise<{ readonly before: number; readonly after: number }> {
  server = await startServerProcess(dataDir, ["--workers", "1"]);
  const [small, ...others] = [smallKey, ...largeKeys].map((apiKey) => createDrs({ server: server.url, apiKey }));
  if (small === undefined) throw new Error("unreachable");
  const ended = async (): Promise<number> => {
    const pages = await Promise.all(others.map((drs) => drs.jobs.page({ statuses: ["SUCCESS"] })));
    return pages.reduce((sum, { total }) => sum + total, 0);
  };
  await expect.poll(ended, { timeout: 60_000 }).toBeGreaterThan(5);
  const { id } = await small.datasets.upload(pdf("the only one"), { fileName: "only.pdf" });
  const only = await small.jobs.wait(id);
  expect(only.status).toBe("SUCCESS");
  const startedAt = only.startedAt ?? Number.NaN;
  const jobs = (await Promise.all(others.map((drs) => Array.fromAsync(drs.jobs.list())))).flat();
  const starts = jobs.map((job) => job.startedAt ?? Number.POSITIVE_INFINITY);
  return {
    before: starts.filter((start) => start > only.createdAt && start < startedAt).length,
    after: starts.filter((start) => start > startedAt).length,
  };
}

test("a workspace with a thousand documents in the queue does not keep another's one document waiting", async () => {
  server = await startServerProcess(dataDir, ["--no-worker"]);
  const setup = await connect();
  await setup.workspaces.create("small");
  const { key: smallKey } = await setup.keys.create({ workspace: "small" });
  const { key: largeKey } = await setup.keys.create();
  await fill([setup], queued);
  await server.terminate();
  const { before, after } = await uploadAmong([largeKey], smallKey);
  expect(before).toBeLessThanOrEqual(2 * jobsAtATime);
  expect(after).toBeGreaterThan(queued / 2);
}, 300_000);

test("an organisation with many workspaces gets no more turns than one with a single workspace", async () => {
  server = await startServerProcess(dataDir, ["--no-worker"]);
  const setup = await connect();
  const { apiKey: smallKey } = await setup.organisations.create({ name: "Small" });
  const largeKeys: string[] = [];
  while (largeKeys.length < workspaces) {
    const workspace = `large-${largeKeys.length}`;
    await setup.workspaces.create(workspace);
    largeKeys.push((await setup.keys.create({ workspace })).key);
  }
  const clients = largeKeys.map((apiKey) => createDrs({ server: server.url, apiKey }));
  await fill(clients, queuedOfWorkspaces);
  await server.terminate();
  const { before, after } = await uploadAmong(largeKeys, smallKey);
  expect(before).toBeLessThanOrEqual(2 * jobsAtATime);
  expect(after).toBeGreaterThan(queuedOfWorkspaces / 2);
}, 300_000);
