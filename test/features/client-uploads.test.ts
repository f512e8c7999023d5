import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDrs, type Drs, type UploadOptions, type UploadState } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../fixtures/pdf.ts";
import { startServerProcess } from "../service/process.ts";
import { startServer, type TestServer } from "../service/start.ts";

/** A comment on every page makes it long: five parts of the least size. */
const book = makePdf({
  pages: Array.from({ length: 11 }, (_, index) => ({
    text: `Chapter ${index + 1}`,
    operators: `% ${randomBytes(1_000_000).toString("hex")}`,
  })),
});
const inParts = { singleRequestBytes: 0, partBytes: 5 * 2 ** 20 } as const;
const partCount = Math.ceil(book.length / inParts.partBytes);
const bookSum = createHash("sha256").update(book).digest("hex");

let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-client-uploads-"));
  path = join(folder, "book.pdf");
  await writeFile(path, book);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Uploads until so many parts have arrived, and then breaks off. */
async function breakOff(drs: Drs, parts: number, options: UploadOptions = {}): Promise<UploadState> {
  const stop = new AbortController();
  let last = "";
  const upload = drs.datasets.upload(path, {
    ...inParts,
    ...options,
    partsAtOnce: 1,
    signal: stop.signal,
    onState(state) {
      last = JSON.stringify(state);
      if (state.parts.length === parts) stop.abort();
    },
  });
  await expect(upload).rejects.toMatchObject({ name: "AbortError" });
  return JSON.parse(last);
}

describe("a document in parts", () => {
  let server: TestServer;
  let drs: Drs;
  beforeAll(async () => {
    server = await startServer({ urlAllow: "127.0.0.1" });
    drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  });
  afterAll(() => server.remove());

  test("becomes a dataset that is found by its sum", async () => {
    const { id, datasetId } = await drs.datasets.upload(path, { ...inParts, expiresInDays: 2 });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS", type: "datasets/extract", failures: [] });
    const dataset = await drs.datasets.get(datasetId);
    expect(dataset).toMatchObject({ fileName: "book.pdf", fileSize: book.length, itemCount: 11, sha256: bookSum });
    expect(dataset.expiresAt).toBeGreaterThan(Date.now());
    const found = await Array.fromAsync(drs.datasets.list({ sha256: ["0".repeat(64), bookSum] }));
    expect(found.map((entry) => entry.id)).toEqual([datasetId]);
    expect(await Array.fromAsync(drs.uploads.list())).toEqual([]);
  });

  test("may come as a stream of unknown length", async () => {
    const { id, datasetId } = await drs.datasets.upload(new Blob([book]).stream(), inParts);
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    expect(await drs.datasets.get(datasetId)).toMatchObject({ sha256: bookSum, itemCount: 11, fileExt: "pdf" });
  });

  test("goes on where it was broken off, without sending anything twice", async () => {
    const resume = await breakOff(drs, 2, { vectorize: true });
    const open = await Array.fromAsync(drs.uploads.list());
    expect(open).toMatchObject([
      { key: resume.key, fileName: "book.pdf", jobType: "vectorize", partCount: 2, fileSize: book.length },
    ]);
    const before = await drs.uploads.get(resume.key);
    expect(before.parts).toEqual(resume.parts);

    const appends: string[] = [];
    const counting = createDrs({
      server: server.url,
      apiKey: server.credentials.apiKey,
      fetch(input, init) {
        if (String(input).endsWith("/append")) appends.push(String(input));
        return fetch(input, init);
      },
    });
    const job = await counting.datasets.upload(path, { ...inParts, resume, resumeOnly: true });
    expect(job.type).toBe("datasets/vectorize");
    expect(appends).toHaveLength(partCount - 2);
    expect(await drs.datasets.get(job.datasetId)).toMatchObject({ sha256: bookSum });
    expect(await drs.uploads.get(resume.key)).toMatchObject({ jobId: job.id });
    expect(await drs.datasets.upload(path, { resume })).toMatchObject({ id: job.id, datasetId: job.datasetId });
    await drs.jobs.cancel(job.id);
  });

  test("is never mixed with another version of its file", async () => {
    const file = join(folder, "edited.pdf");
    const resume = await breakOff(drs, 2);
    const edited = Buffer.from(book);
    edited.write("Chaptre 1", edited.indexOf("Chapter 1"), "latin1");
    await writeFile(file, edited);
    const { datasetId } = await drs.datasets.upload(file, { resume });
    const { sha256 } = await drs.datasets.get(datasetId);
    expect(sha256).toBe(createHash("sha256").update(edited).digest("hex"));
  });

  test("can be aborted, after which a resumption says that it is gone", async () => {
    const resume = await breakOff(drs, 1);
    await drs.uploads.abort(resume.key);
    expect(await Array.fromAsync(drs.uploads.list())).toEqual([]);
    await expect(drs.datasets.upload(path, { resume, resumeOnly: true })).rejects.toMatchObject({ code: "not_found" });
  });

  test("that is none is refused in the service's words, and leaves nothing", async () => {
    const junk = randomBytes(6 * 2 ** 20);
    const upload = drs.datasets.upload(junk, { ...inParts, fileName: "junk.pdf" });
    await expect(upload).rejects.toMatchObject({ status: 415 });
    expect(await Array.fromAsync(drs.uploads.list())).toEqual([]);
  });

  test("needs a key of its workspace", async () => {
    const resume = await breakOff(drs, 1);
    const stranger = createDrs({ server: server.url, apiKey: "drs_nobody" });
    await expect(stranger.datasets.upload(path, { resume })).rejects.toMatchObject({ code: "unauthenticated" });
    await drs.uploads.abort(resume.key);
  });

  test("or is fetched by the service", async () => {
    const files = createServer((_, response) => void response.end(book)).listen(0, "127.0.0.1");
    await new Promise((resolve) => files.once("listening", resolve));
    const address = files.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { id, datasetId } = await drs.datasets.upload(new URL(`http://127.0.0.1:${port}/far/away.pdf`));
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    expect(await drs.datasets.get(datasetId)).toMatchObject({ fileName: "away.pdf", sha256: bookSum });
    files.close();
  });
});

test("a server that is killed in the middle of an upload and comes back is gone on with", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "drs-client-crash-"));
  let server = await startServerProcess(dataDir);
  const { port } = new URL(server.url);
  const { apiKey }: { apiKey: string } = JSON.parse(await readFile(join(dataDir, "credentials.json"), "utf8"));
  const drs = createDrs({ server: server.url, apiKey });
  let restarting: Promise<void> | undefined;
  const restart = async (): Promise<void> => {
    await server.kill();
    server = await startServerProcess(dataDir, ["--port", port]);
  };
  const { datasetId } = await drs.datasets.upload(path, {
    ...inParts,
    partsAtOnce: 2,
    onState({ parts }) {
      if (parts.length === 2) restarting ??= restart();
    },
  });
  expect(restarting).toBeDefined();
  await restarting;
  expect(await drs.datasets.get(datasetId)).toMatchObject({ sha256: bookSum });
  await server.terminate();
  await rm(dataDir, { recursive: true, force: true });
});
