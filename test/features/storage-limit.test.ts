import { once } from "node:events";
import { readdir } from "node:fs/promises";
import http, { type ClientRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createDrs, type Drs } from "@drs/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { runCaptured } from "../../cli/testing/run-captured.ts";
import { endless, file, type FileServer, startFileServer } from "../fixtures/file-server.ts";
import { makeDocx } from "../fixtures/ooxml.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const megabyte = 2 ** 20;
const page = makePdf({ pages: [{ text: "A page." }] });
/** A document of so many bytes. */
const sized = (bytes: number): Blob => new Blob([page, Buffer.alloc(bytes - page.length, " ")]);

let server: TestServer;
let files: FileServer;
let operator: Drs;
/** The client of an empty organisation that may store one megabyte. */
let drs: Drs;
let apiKey: string;

beforeAll(async () => {
  files = await startFileServer({
    "/large.pdf": (response) => response.writeHead(200, { "content-length": 2 * megabyte }).flushHeaders(),
    "/endless.pdf": endless(page),
    "/small.pdf": file(page),
  });
  server = await startServer({ urlAllow: "127.0.0.1" });
  operator = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
  await operator.plans.set("megabyte", { maxStorageBytes: megabyte });
});
beforeEach(async () => {
  ({ apiKey } = await operator.organisations.create({ name: "Small", plan: "megabyte" }));
  drs = createDrs({ server: server.url, apiKey });
});
afterAll(async () => {
  await server.remove();
  await files.close();
});

const diskFull = {
  status: 413,
  message: expect.stringMatching(
    /no room for the (document|part): your organisation's plan "megabyte" stores at most 1 MB, of which .* are used; delete datasets, .*, or ask for a larger plan/,
  ),
};

/** Every file in the blob folder, also those that are still being written. */
async function blobs(): Promise<readonly string[]> {
  const entries = await readdir(join(server.dataDir, "blobs"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** An upload of which only the head has been sent. */
async function beginUpload(
  headers: http.OutgoingHttpHeaders,
): Promise<{ request: ClientRequest; answer: Promise<IncomingMessage> }> {
  const request = http.request(`${server.url}/v1/extract`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "multipart/form-data; boundary=xx", ...headers },
  });
  // The server may close the connection on which it waits for no more.
  request.on("error", () => undefined);
  const answer = once(request, "response").then(([response]: IncomingMessage[]) => {
    if (response === undefined) throw new Error("there is no answer");
    return response;
  });
  request.flushHeaders();
  return { request, answer };
}

const partHead = '--xx\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';

describe("a plan's storage", () => {
  test("a file that cannot fit is refused before any of it has been sent, where its request says how large it is", async () => {
    const before = await blobs();
    const { request, answer } = await beginUpload({ "content-length": 2 * megabyte });
    const response = await answer;
    expect(response.statusCode).toBe(413);
    const body: unknown = JSON.parse(await text(response));
    expect(body).toMatchObject({ success: false, code: "RESOURCE_EXHAUSTED", error: diskFull.message });
    request.destroy();
    expect(await blobs()).toEqual(before);
  });

  test("a file of unknown size is refused as soon as it is too large, and nothing of it stays", async () => {
    const before = await blobs();
    const { request, answer } = await beginUpload({ "transfer-encoding": "chunked" });
    request.write(partHead);
    request.write(page);
    // More than fits, and no end.
    request.write(Buffer.alloc(megabyte + 64 * 1024, " "));
    const response = await answer;
    expect(response.statusCode).toBe(413);
    expect(await text(response)).toMatch(/no room for the document/);
    request.destroy();
    await expect.poll(blobs).toEqual(before);
    expect(await drs.usage()).toMatchObject({ stored: { total: 0 }, documents: 0 });
  });

  test("of two uploads that race for the last bytes exactly one wins", async () => {
    for (let round = 0; round < 5; round++) {
      const size = megabyte / 2 + 1;
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => drs.datasets.upload(sized(size))));
      const won = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
      const lost = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      expect([won.length, lost]).toMatchObject([1, [diskFull, diskFull]]);
      expect(await drs.usage()).toMatchObject({ stored: { total: size }, documents: 1 });
      for (const { datasetId } of won) await drs.datasets.delete(datasetId);
    }
    // What belongs to jobs that are at work goes some seconds later.
    await expect.poll(blobs, { timeout: 20_000 }).toEqual([]);
  });

  test("it is used to the last byte, and deleting gives it back at once", async () => {
    const { datasetId } = await drs.datasets.upload(sized(megabyte - page.length));
    await expect(drs.datasets.upload(sized(page.length + 1))).rejects.toMatchObject(diskFull);
    await drs.datasets.upload(sized(page.length));
    expect((await drs.usage()).organisationStoredBytes).toBe(megabyte);
    await expect(drs.datasets.upload(sized(page.length))).rejects.toMatchObject(diskFull);
    await drs.datasets.delete(datasetId);
    await drs.datasets.upload(sized(megabyte - page.length));
  });

  test("all workspaces of an organisation share it", async () => {
    const { id } = await drs.workspaces.create("second");
    const { key } = await drs.keys.create({ workspace: id, name: "second" });
    const second = createDrs({ server: server.url, apiKey: key });
    await drs.datasets.upload(sized(megabyte - 10));
    await expect(second.datasets.upload(sized(page.length))).rejects.toMatchObject(diskFull);
    expect(await second.usage()).toMatchObject({ stored: { total: 0 }, organisationStoredBytes: megabyte - 10 });
  });

  test("a document in parts is refused at its start if it says how large it is, else with the part that does not fit", async () => {
    const whole = { singleRequestBytes: 0 };
    await expect(drs.datasets.upload(sized(2 * megabyte), whole)).rejects.toMatchObject(diskFull);
    expect(await Array.fromAsync(drs.uploads.list())).toEqual([]);
    await drs.datasets.upload(sized(megabyte / 2));
    await expect(drs.datasets.upload(sized(megabyte / 2 + 1), whole)).rejects.toMatchObject(diskFull);
    const { id } = await drs.datasets.upload(sized(megabyte / 2), whole);
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    expect(await drs.usage()).toMatchObject({ stored: { originals: megabyte, parts: 0 }, documents: 2 });
  });

  test.each(["/large.pdf", "/endless.pdf"])(
    "a document from an address that does not fit ends its job: %s",
    async (path) => {
      const { id, datasetId } = await drs.datasets.upload(new URL(path, files.url));
      expect(await drs.jobs.wait(id)).toMatchObject({ status: "ERROR", statusText: diskFull.message });
      await expect(drs.datasets.get(datasetId)).rejects.toMatchObject({ status: 404 });
      await expect.poll(files.connections.bind(files)).toBe(0);
      expect(await drs.usage()).toMatchObject({ stored: { total: 0 }, documents: 0 });
      expect((await blobs()).filter((name) => name === datasetId)).toEqual([]);
    },
  );

  test("what an Office document becomes counts, also beyond the limit; then nothing more fits", async () => {
    const letter = makeDocx({ paragraphs: ["Dear lighthouse keeper,"] });
    await drs.datasets.upload(sized(megabyte - letter.length));
    const { id, datasetId } = await drs.datasets.upload(letter, { fileName: "letter.docx" });
    expect(await drs.jobs.wait(id)).toMatchObject({ status: "SUCCESS" });
    const { stored, organisationStoredBytes } = await drs.usage();
    expect(stored.originals).toBe(megabyte);
    expect(stored.converted).toBeGreaterThan(0);
    expect(organisationStoredBytes).toBe(megabyte + stored.converted);
    const address = new URL("/small.pdf", files.url);
    await expect(drs.datasets.upload(address)).rejects.toMatchObject(diskFull);
    await drs.datasets.delete(datasetId);
    expect((await drs.usage()).organisationStoredBytes).toBe(megabyte - letter.length);
  });

  test("the command line says what to do", async () => {
    await drs.datasets.upload(sized(megabyte - 10));
    const env = { DRS_SERVER: server.url, DRS_API_KEY: apiKey };
    const { code, stdout, stderr } = await runCaptured(["upload", new URL("/small.pdf", files.url).href], env);
    expect(code).not.toBe(0);
    // Once: in the line of the document.
    expect(stdout).toMatch(/no room for the document/);
    expect(stderr).not.toMatch(/no room for the document/);
  });
});
