import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { createDrs, type Drs, type Job } from "@drs/client";
import { connect } from "@lancedb/lancedb";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

/** The rows that a data folder may keep after deletions: the log of deletions, finished jobs, empty tables. */
const allowedBytes = 1_000_000;

const words = "harbour lantern turbine membrane quarterly figures invoice revenue forecast winter garden ledger".split(
  " ",
);

/** A page full of words that no other page has in this order. */
function page(seed: number): { text: string } {
  const line = (at: number) =>
    Array.from({ length: 9 }, (_, index) => `${words[(seed * 7 + at * 5 + index * 3) % words.length]}${seed % 97}`);
  return { text: Array.from({ length: 40 }, (_, at) => line(at).join(" ")).join("\n") };
}

const pdfOf = (pages: number, seed = 0) =>
  makePdf({ pages: Array.from({ length: pages }, (_, index) => page(seed * 10_000 + index)) });

/** Take a while to draw. */
const strokes = Array.from({ length: 2_000 }, (_, at) => `${at % 595} ${at % 842} m 300 400 l S`).join("\n");

let dataDir: string;
let server: ServerProcess;
let drs: Drs;
/** The data of a server after its first start. */
let bytesOfEmpty: number;
/** Tests leave nothing in the data folder, so that they share it; one that fails leaves the next a new one. */
let isUsable = false;
beforeEach(async ({ onTestFailed }) => {
  if (!isUsable) await startEmpty();
  onTestFailed(end);
});
afterAll(end);

async function startEmpty(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), "drs-deletion-"));
  await start();
  bytesOfEmpty = await bytesIn(dataDir);
  isUsable = true;
}

async function end(): Promise<void> {
  if (!isUsable) return;
  isUsable = false;
  await server.terminate();
  await rm(dataDir, { recursive: true, force: true });
}

async function start(...flags: string[]): Promise<void> {
  server = await startServerProcess(dataDir, flags);
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  drs = createDrs({ server: server.url, apiKey });
}

async function upload(file: Uint8Array<ArrayBuffer>, fileName: string): Promise<Job> {
  const { id } = await drs.datasets.upload(file, { fileName, vectorize: true });
  const job = await drs.jobs.wait(id);
  expect(job).toMatchObject({ status: "SUCCESS", failures: [] });
  return job;
}

/** Looks at pages, so that the service keeps pictures of them. */
async function look(datasetId: string): Promise<void> {
  const { data } = await drs.items.page(datasetId, { row: "jpg", limit: 10 });
  for (const { share } of data) expect((await fetch(share.url)).status).toBe(200);
}

/** Bytes of all files in a folder; those that go while it is read count nothing. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const stored = async (): Promise<number> =>
  (await bytesIn(join(dataDir, "blobs", "originals"))) + (await bytesIn(join(dataDir, "blobs", "converted")));

/** Waits for the worker to have given everything back that datasets took. */
async function emptied(): Promise<void> {
  const bound = bytesOfEmpty + allowedBytes;
  await expect.poll(() => bytesIn(dataDir), { timeout: 60_000, interval: 250 }).toBeLessThan(bound);
  await expect.poll(() => rowsOf("garbage"), { timeout: 30_000, interval: 250 }).toBe(0);
}

function rowsOf(table: string): number {
  const database = new DatabaseSync(join(dataDir, "metadata.sqlite"), { readOnly: true });
  const row = database.prepare(`select count(*) as count from ${table}`).get();
  database.close();
  return Number(row?.["count"]);
}

/** Rows of all tables of the index. */
async function vectorRows(): Promise<number> {
  const connection = await connect(join(dataDir, "vectors"));
  let rows = 0;
  for (const name of (await connection.listTables({})).tables) {
    rows += await (await connection.openTable(name)).countRows();
  }
  connection.close();
  return rows;
}

/** Returns the data of datasets in all stores. */
async function left(): Promise<unknown> {
  const blobs = await readdir(join(dataDir, "blobs"), { recursive: true });
  return {
    datasets: (await drs.datasets.page()).total,
    found: (await drs.search("harbour lantern")).length,
    rows: ["datasets", "pages", "pageWords", "renditions"].map(rowsOf),
    vectors: await vectorRows(),
    blobs: blobs.filter((name) => name !== "tmp"),
  };
}

const nothing = { datasets: 0, found: 0, rows: [0, 0, 0, 0], vectors: 0, blobs: [] };

const expectNothing = (): Promise<void> => expect.poll(left, { timeout: 30_000, interval: 250 }).toEqual(nothing);

/** Ends server and worker at this very moment. */
async function killAll(): Promise<void> {
  for (const pid of server.workers()) process.kill(pid, "SIGKILL");
  await server.kill();
}

test("deleting everything gives all of the disk back, and says how much of what counted it was", async () => {
  const files = {
    "a.pdf": pdfOf(60, 1),
    "b.pdf": pdfOf(40, 2),
    "c.docx": makeDocx({ paragraphs: Array.from({ length: 100 }, (_, at) => page(at).text.slice(0, 300)) }),
  };
  const datasets: string[] = [];
  for (const [fileName, file] of Object.entries(files)) datasets.push((await upload(file, fileName)).datasetId);
  for (const datasetId of datasets) await look(datasetId);
  expect(await drs.search("harbour lantern")).not.toEqual([]);
  expect(await bytesIn(dataDir)).toBeGreaterThan(5 * allowedBytes);

  for (const datasetId of datasets) {
    const before = await stored();
    const { freedBytes } = await drs.datasets.delete(datasetId);
    await expect.poll(stored, { timeout: 10_000 }).toBe(before - freedBytes);
  }
  expect(await stored()).toBe(0);
  await expectNothing();
  await emptied();
}, 240_000);

describe("after a kill in the middle of a deletion the next start finishes it", () => {
  const vectors = (): string => join(dataDir, "vectors");

  async function startWithDataset(): Promise<string> {
    const { datasetId } = await upload(pdfOf(20), "a.pdf");
    await look(datasetId);
    return datasetId;
  }

  test("before anything but the rows is gone", async () => {
    const datasetId = await startWithDataset();
    await server.terminate();
    await start("--no-worker");
    const before = await stored();
    await drs.datasets.delete(datasetId);
    expect(await stored()).toBe(before);
    await killAll();
    expect(rowsOf("datasets")).toBe(0);
    expect(await vectorRows()).toBeGreaterThan(0);
    await start();
    await expectNothing();
  }, 240_000);

  test("at once", async () => {
    expect(await left()).toEqual(nothing);
    await drs.datasets.delete(await startWithDataset());
    await killAll();
    await start();
    await expectNothing();
  }, 240_000);

  test("when some of the vectors are gone", async () => {
    const datasetId = await startWithDataset();
    const before = await vectorRows();
    await drs.datasets.delete(datasetId);
    await expect.poll(vectorRows, { timeout: 30_000, interval: 1 }).toBeLessThan(before);
    await killAll();
    await start();
    await expectNothing();
  }, 240_000);

  test("when all is gone but their disk", async () => {
    await drs.datasets.delete(await startWithDataset());
    await expectNothing();
    await killAll();
    const full = await bytesIn(vectors());
    await start();
    await emptied();
    expect(await bytesIn(vectors())).toBeLessThan(full / 10);
  }, 240_000);
});

describe("deleting while it is worked on", () => {
  const long = pdfOf(800);

  async function reached(id: string, stage: string, pages: number): Promise<void> {
    const isThere = async (): Promise<boolean> => {
      const { progress } = await drs.jobs.get(id);
      return progress.stage === stage && progress.pagesDone >= pages;
    };
    await expect.poll(isThere, { timeout: 120_000, interval: 10 }).toBe(true);
  }

  async function startJob(stage: string, pages: number): Promise<Job> {
    const job = await drs.datasets.upload(long, { fileName: "long.pdf", vectorize: true });
    await reached(job.id, stage, pages);
    return job;
  }

  test("in any stage: the job is cancelled, and nothing of it comes back", async () => {
    for (const [stage, pages] of [
      ["read", 100],
      ["embed", 1],
      ["index", 1],
    ] as const) {
      const { id, datasetId } = await startJob(stage, pages);
      await drs.datasets.delete(datasetId);
      expect(await drs.jobs.get(id)).toMatchObject({ status: "ERROR", canceledAt: expect.any(Number) });
    }
    // Whatever was under way has ended once another document has gone all the way.
    const { datasetId } = await upload(pdfOf(1), "next.pdf");
    await drs.datasets.delete(datasetId);
    await expectNothing();
    await emptied();
    await expectNothing();
  }, 240_000);

  const hasProc = existsSync("/proc/self/stat");
  const reason = hasProc ? "" : " (skipped: no /proc to see what a process computes)";
  /** Hundredths of a second that the workers have computed so far. */
  async function computed(): Promise<number> {
    const each = server.workers().map(async (pid) => {
      // Behind the program's name in parentheses, the 12th and 13th field are the times in user and system mode.
      const [, fields = ""] = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ");
      const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
      return user + system;
    });
    return (await Promise.all(each)).reduce((sum, own) => sum + own, 0);
  }

  test.skipIf(!hasProc)(
    `its threads end their pages and begin no others${reason}`,
    async () => {
      const { datasetId } = await startJob("embed", 1);
      await drs.datasets.delete(datasetId);
      const restful = async (): Promise<boolean> => {
        const before = await computed();
        await sleep(1_000);
        return (await computed()) - before < 20;
      };
      // The job would keep every thread busy for much longer.
      await expect.poll(restful, { timeout: 5_000, interval: 10 }).toBe(true);
    },
    120_000,
  );

  test("a picture that is being made is not kept", async () => {
    const pages = Array.from({ length: 6 }, () => ({ text: "lantern", operators: strokes }));
    const { datasetId } = await upload(makePdf({ pages }), "pictures.pdf");
    const { data } = await drs.items.page(datasetId, { row: "jpg", limit: 12 });
    const looks = data.map(({ share }) => fetch(share.url).then(({ status }) => status));
    await Promise.race(looks);
    await drs.datasets.delete(datasetId);
    expect(await Promise.all(looks)).toContain(404);
    await expectNothing();
  }, 240_000);
});
