import { createDrs, type Drs } from "@drs/client";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";

/** Long enough for its job to be killed many times on the way. */
const pageCount = 600;
/** One word per page that no stemmer changes. */
const wordOf = (page: number): string =>
  `chapter${Array.from(String(page), (digit) => "bcdfghjklm"[Number(digit)]).join("")}zq`;
const document = makePdf({
  pages: Array.from({ length: pageCount }, (_, index) => ({
    text: `Chapter ${index + 1}\nAbout ${wordOf(index + 1)} and nothing else.`,
  })),
});

describe("a job survives", () => {
  let dataDir: string;
  let server: ServerProcess;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "drs-crash-"));
    server = await startServerProcess(dataDir);
  });
  afterEach(async () => {
    await server.terminate();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function connect(): Promise<Drs> {
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    return createDrs({ server: server.url, apiKey });
  }

  /** Waits until the job has come so far in all its stages, 0..2 (read, embed), or has ended. */
  async function reached(drs: Drs, id: string, target: number): Promise<void> {
    for (;;) {
      const job = await drs.jobs.get(id);
      const { stage, pagesDone } = job.progress;
      const position = (stage === "embed" || stage === "index" ? 1 : stage === "done" ? 2 : 0) + pagesDone / pageCount;
      if (position >= target || job.finishedAt !== null) return;
      await sleep(20);
    }
  }

  test("five kills of the worker and one of the whole server: nothing missing, nothing doubled, nothing left over", async () => {
    let drs = await connect();
    const upload = await drs.datasets.upload(document, { fileName: "long.pdf", vectorize: true });
    const killed: number[] = [];
    for (const target of [0.1, 0.5, 1.05, 1.2, 1.4]) {
      await reached(drs, upload.id, target);
      for (const pid of server.workers()) {
        killed.push(pid);
        process.kill(pid, "SIGKILL");
      }
      await sleep(300);
    }
    await reached(drs, upload.id, 1.5);
    await server.kill();
    server = await startServerProcess(dataDir);
    drs = await connect();

    const job = await drs.jobs.wait(upload.id);
    expect(killed.length).toBeGreaterThanOrEqual(4);
    expect(job).toMatchObject({ status: "SUCCESS", failures: [] });

    const seen = new Map<string, number>();
    for await (const item of drs.items.list(upload.datasetId, { sort: ["col"] })) {
      seen.set(`${item.col}.${item.row}`, (seen.get(`${item.col}.${item.row}`) ?? 0) + 1);
    }
    expect(seen.size).toBe(pageCount * 3);
    expect(new Set(seen.values())).toEqual(new Set([1]));

    for (const page of [1, 2, 299, 300, 599, 600]) {
      const found = await drs.search(wordOf(page), { limit: 100 });
      expect(found[0]).toMatchObject({ col: page });
      expect(found.filter(({ col }) => col === page)).toHaveLength(1);
    }
    expect(await readdir(join(dataDir, "blobs", "originals"))).toEqual([upload.datasetId]);
    // Search has pictures made in advance, which takes a moment after its answer.
    await expect.poll(() => readdir(join(dataDir, "blobs", "tmp")), { timeout: 10_000 }).toEqual([]);
  }, 480_000);

  test("a kill in the middle of an upload leaves nothing behind", async () => {
    const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
    const endless = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await sleep(5);
        controller.enqueue(
          Buffer.from(
            `--b\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7 ${"x".repeat(65_536)}`,
          ),
        );
      },
    });
    const uploading = fetch(`${server.url}/v1/extract`, {
      method: "POST",
      headers: { "x-api-key": apiKey, "content-type": "multipart/form-data; boundary=b" },
      body: endless,
      duplex: "half",
    }).catch(() => "ended");
    const temporary = join(dataDir, "blobs", "tmp");
    await expect.poll(async () => (await readdir(temporary).catch(() => [])).length, { timeout: 10_000 }).toBe(1);
    await server.kill();
    await uploading;

    server = await startServerProcess(dataDir);
    expect(await readdir(temporary)).toEqual([]);
    expect(await readdir(join(dataDir, "blobs", "originals")).catch(() => [])).toEqual([]);
    const drs = await connect();
    expect(await Array.fromAsync(drs.datasets.list())).toEqual([]);
  });

  test("a second server on the data folder is refused", async () => {
    await expect(startServerProcess(dataDir)).rejects.toThrow(/ended with 1/);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  test("SIGTERM ends the server and its worker with exit code 0", async () => {
    const workers = server.workers();
    expect(workers.length).toBeGreaterThan(0);
    expect(await server.terminate()).toBe(0);
    for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
    server = await startServerProcess(dataDir);
  });
});
