import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

const queued = 1_000;
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

test("a workspace with a thousand documents in the queue does not keep another's one document waiting", async () => {
  server = await startServerProcess(dataDir, ["--no-worker"]);
  const setup = await connect();
  await setup.workspaces.create("small");
  const { key: apiKey } = await setup.keys.create({ workspace: "small" });
  const names = Array.from({ length: queued }, (_, index) => `large ${index}`).values();
  const lane = async (): Promise<void> => {
    for (const name of names) await setup.datasets.upload(pdf(name), { fileName: `${name}.pdf` });
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await server.terminate();

  server = await startServerProcess(dataDir, ["--workers", "1"]);
  const large = await connect();
  const small = createDrs({ server: server.url, apiKey });
  // The worker is in the middle of the large workspace's queue.
  await expect
    .poll(async () => (await large.jobs.page({ statuses: ["SUCCESS"] })).total, { timeout: 60_000 })
    .toBeGreaterThan(5);
  const { id } = await small.datasets.upload(pdf("the only one"), { fileName: "only.pdf" });
  const only = await small.jobs.wait(id);
  expect(only.status).toBe("SUCCESS");

  const jobs = await Array.fromAsync(large.jobs.list());
  expect(jobs).toHaveLength(queued);
  const startedAt = only.startedAt ?? Number.NaN;
  const startOf = (job: (typeof jobs)[number]): number => job.startedAt ?? Number.POSITIVE_INFINITY;
  const between = jobs.filter((job) => startOf(job) > only.createdAt && startOf(job) < startedAt);
  expect(between.length).toBeLessThanOrEqual(2 * jobsAtATime);
  const after = jobs.filter((job) => startOf(job) > startedAt);
  expect(after.length).toBeGreaterThan(queued / 2);
}, 300_000);
