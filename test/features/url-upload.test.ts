import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endless, file, type FileServer, redirect, stalled, startFileServer } from "../fixtures/file-server.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { type ServerProcess, startServerProcess } from "../service/process.ts";
import { startServer, type TestServer } from "../service/start.ts";

const document = makePdf({ pages: [{ text: "Octopuses have three hearts." }, { text: "Squids have three as well." }] });
const half = Math.floor(document.length / 2);

/** Over plain HTTP, as in the contract. */
async function post(server: string, apiKey: string, body: object): Promise<{ id: string; datasetId: string }> {
  const response = await fetch(`${server}/v1/extract`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { data: { id: string; datasetId: string } };
  expect(answer).toMatchObject({ success: true });
  return answer.data;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Names in a folder; none if it is not there. */
const namesIn = (...path: string[]): Promise<string[]> => readdir(join(...path)).catch(() => []);

describe("a document from a url", () => {
  let files: FileServer;
  let server: TestServer;
  let drs: Drs;
  let broken = 0;
  let release = (): void => undefined;

  beforeAll(async () => {
    files = await startFileServer({
      "/download": file(document, { "content-disposition": 'attachment; filename="Hearts of the sea.pdf"' }),
      "/to": redirect,
      "/breaks.pdf": (response) => {
        response.writeHead(200, { "content-length": document.length });
        broken += 1;
        if (broken > 1) response.end(document);
        else response.write(document.subarray(0, half), () => response.destroy());
      },
      "/held.pdf": (response) => {
        response.writeHead(200, { "content-length": document.length });
        response.write(document.subarray(0, half));
        release = () => void response.end(document.subarray(half));
      },
      "/gone.pdf": (response) => {
        release = () => void response.writeHead(410).end();
      },
      "/stalled.pdf": stalled(document),
      "/endless.pdf": endless(document),
    });
    server = await startServer({ urlAllow: "127.0.0.1", maxDocumentBytes: "3MB", workers: "1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  });
  afterAll(async () => {
    await server.remove();
    await files.close();
  });

  const upload = (path: string): ReturnType<typeof post> =>
    post(server.url, server.credentials.apiKey, { url: files.url + path });
  const blobs = (folder: string): Promise<string[]> => namesIn(server.dataDir, "blobs", folder);

  async function fetching(id: string): Promise<void> {
    await expect
      .poll(async () => (await drs.jobs.get(id)).progress, { timeout: 10_000 })
      .toMatchObject({ stage: "fetch", bytesDone: half, bytesTotal: document.length });
  }

  test("is named by the one who serves it, also behind redirects", async () => {
    const once = encodeURIComponent("/to?to=/download");
    const { id, datasetId } = await upload(`/to?to=${once}`);
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", failures: [] });
    expect(await drs.datasets.get(datasetId)).toMatchObject({ fileName: "Hearts of the sea.pdf", itemCount: 2 });
  });

  test("is fetched again from the start when the connection breaks off", async () => {
    const { id, datasetId } = await upload("/breaks.pdf");
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    expect(broken).toBe(2);
    expect(await drs.datasets.get(datasetId)).toMatchObject({ fileSize: document.length, itemCount: 2 });
  });

  test("shows how much has come, and may be told to become searchable before it has come", async () => {
    const { id, datasetId } = await upload("/held.pdf");
    await fetching(id);
    const vectorize = await drs.datasets.vectorize(datasetId);
    release();
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    expect(await drs.jobs.wait(vectorize.id)).toMatchObject({ status: "SUCCESS" });
    expect((await drs.search("octopus hearts", { datasetIds: [datasetId] }))[0]).toMatchObject({ col: 1 });
  });

  test("that does not come takes the jobs that wait for it along", async () => {
    const { id, datasetId } = await upload("/gone.pdf");
    const vectorize = await drs.datasets.vectorize(datasetId);
    await expect.poll(() => files.requests.at(-1)?.url).toBe("/gone.pdf");
    release();
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/410/) });
    expect(await drs.jobs.wait(vectorize.id)).toMatchObject({ status: "ERROR" });
    await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ code: "not_found" });
  });

  test("without an end fails at the size limit, and nothing of it stays", async () => {
    const before = await blobs("originals");
    const { id, datasetId } = await upload("/endless.pdf");
    expect(await drs.jobs.wait(id)).toMatchObject({
      status: "ERROR",
      statusText: expect.stringMatching(/^127\.0\.0\.1:\d+ sends more than 3 MB/),
    });
    await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ code: "not_found" });
    expect(await blobs("tmp")).toEqual([]);
    expect(await blobs("originals")).toEqual(before);
    await expect.poll(() => files.connections()).toBe(0);
  });

  test.each(["cancelled", "deleted"])(
    "that is %s while it comes ends the connection, and nothing stays",
    async (how) => {
      const before = await blobs("originals");
      const { id, datasetId } = await upload("/stalled.pdf");
      await fetching(id);
      expect(await blobs("tmp")).toHaveLength(1);
      if (how === "cancelled") await drs.jobs.cancel(id);
      else await drs.datasets.delete(datasetId);
      await expect.poll(() => files.connections(), { timeout: 10_000 }).toBe(0);
      await expect.poll(() => blobs("tmp"), { timeout: 10_000 }).toEqual([]);
      expect(await blobs("originals")).toEqual(before);
      expect(await drs.jobs.get(id)).toMatchObject({ status: "ERROR", canceledAt: expect.any(Number) });
      await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ code: "not_found" });
    },
  );

  test("that is slow to come keeps no other document waiting", async () => {
    const slow = await Promise.all(Array.from({ length: 6 }, () => upload("/stalled.pdf")));
    for (const { id } of slow) await fetching(id);
    const quick = await upload("/download");
    expect(await drs.jobs.wait(quick.id)).toMatchObject({ status: "SUCCESS" });
    for (const { id } of slow) {
      expect((await drs.jobs.get(id)).progress.stage).toBe("fetch");
      await drs.jobs.cancel(id);
    }
  });
});

describe("a document from a url is fetched anew", () => {
  let files: FileServer;
  let dataDir: string;
  let server: ServerProcess;
  let apiKey: string;
  let isHeld = true;

  beforeEach(async () => {
    isHeld = true;
    files = await startFileServer({
      "/held.pdf": (...exchange) => (isHeld ? stalled(document) : file(document))(...exchange),
    });
    dataDir = await mkdtemp(join(tmpdir(), "drs-url-"));
    server = await startServerProcess(dataDir, ["--url-allow", "127.0.0.1"]);
    ({ apiKey } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8")) as { apiKey: string });
  });
  afterEach(async () => {
    await server.terminate();
    await files.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  test.each(["its worker", "the whole server"])(
    "after %s was killed in the middle",
    async (who) => {
      const { id, datasetId } = await post(server.url, apiKey, { url: `${files.url}/held.pdf` });
      const temporary = (): Promise<string[]> => namesIn(dataDir, "blobs", "tmp");
      await expect.poll(() => files.requests.length, { timeout: 10_000 }).toBe(1);
      await expect.poll(async () => (await temporary()).length, { timeout: 10_000 }).toBe(1);
      isHeld = false;
      const workers = server.workers();
      if (who === "its worker") for (const pid of workers) process.kill(pid, "SIGKILL");
      else {
        await server.kill();
        // The worker follows; until it has, what it was writing counts as its own.
        await expect.poll(() => workers.filter(isAlive), { timeout: 10_000 }).toEqual([]);
        server = await startServerProcess(dataDir, ["--url-allow", "127.0.0.1"]);
      }
      const drs = createDrs({ server: server.url, apiKey });
      expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
      expect(await drs.datasets.get(datasetId)).toMatchObject({ fileSize: document.length, itemCount: 2 });
      expect(files.requests).toHaveLength(2);
      expect(await namesIn(dataDir, "blobs", "originals")).toEqual([expect.stringContaining(datasetId)]);
      expect(await temporary()).toEqual([]);
    },
    60_000,
  );
});
