import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { connect } from "../connection.ts";
import { createDrs, DrsError, type UploadProgress } from "../index.ts";
import { listen, type Listening } from "../testing/service.ts";
import { hasty } from "../testing/part-uploads.ts";
import { type Fault, uploadService, type UploadTestService } from "../testing/upload-service.ts";
import { uploadDocument } from "./upload-document.ts";

let folder: string;
const open: Listening[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-upload-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.close()));
});

async function service(fault?: (request: string, nth: number) => Fault): Promise<UploadTestService> {
  const started = await uploadService(fault === undefined ? {} : { fault });
  open.push(started);
  return started;
}

async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const started = await listen(() => undefined, answer);
  open.push(started);
  return started.url;
}

test("streams a path with its length announced, and tells how far it is", async () => {
  const bytes = new Uint8Array(3_000_003).map((_, index) => index % 251);
  const path = join(folder, 'größe "4".pdf');
  await writeFile(path, bytes);
  const { url, taken, requests } = await service();
  const progress: UploadProgress[] = [];
  const drs = createDrs({ server: url, apiKey: "drs_test" });
  const job = await drs.datasets.upload(path, { expiresInDays: 1.5, onProgress: (at) => progress.push(at) });

  expect(job).toMatchObject({ id: "dsj_1", datasetId: "ds_1", type: "datasets/extract", status: "IN_PROGRESS" });
  expect(requests).toEqual(["whole"]);
  expect(taken[0]).toMatchObject({ jobType: "extract", fields: { expiresInDays: "1.5" } });
  expect(taken[0]?.bytes.equals(bytes)).toBe(true);
  expect(taken[0]?.contentLength).toBeGreaterThan(bytes.length);
  expect(taken[0]?.fileName.replaceAll("%22", '"')).toBe('größe "4".pdf');
  expect(progress[0]).toEqual({
    sentBytes: 0,
    totalBytes: bytes.length,
    bytesPerSecond: 0,
    remainingMs: undefined,
  });
  expect(progress.at(-1)).toMatchObject({ sentBytes: bytes.length, totalBytes: bytes.length, remainingMs: 0 });
  expect(progress.at(-1)?.bytesPerSecond).toBeGreaterThan(0);
});

test("takes files, bytes and short streams, and vectorizes on request", async () => {
  const { url, taken } = await service();
  const drs = createDrs({ server: url });
  await drs.datasets.upload(new File(["abc"], "a.pdf", { type: "application/pdf" }), { vectorize: true });
  await drs.datasets.upload(new Uint8Array([97, 98]), { fileName: "b.pdf" });
  await drs.datasets.upload(new Blob(["x"]).stream());
  expect(taken.map(({ jobType }) => jobType)).toEqual(["vectorize", "extract", "extract"]);
  expect(taken.map(({ fileName }) => fileName)).toEqual(["a.pdf", "b.pdf", "document"]);
  expect(taken.map(({ bytes }) => bytes.toString())).toEqual(["abc", "ab", "x"]);
  expect(taken.map(({ contentLength }) => contentLength === undefined)).toEqual([false, false, false]);
});

test("connections are used again", async () => {
  const { url, taken, connections } = await service();
  const drs = createDrs({ server: url });
  for (let count = 0; count < 5; count += 1) await drs.datasets.upload(new Uint8Array([count]));
  expect(taken).toHaveLength(5);
  expect(connections()).toBe(1);
});

test("goes through the fetch that the caller has given, if there is one", async () => {
  const { url, taken } = await service();
  const asked: string[] = [];
  const drs = createDrs({
    server: url,
    fetch(input, init) {
      asked.push(String(input));
      return fetch(input, init);
    },
  });
  const bytes = new Uint8Array(3_000_003).map((_, index) => index % 249);
  await drs.datasets.upload(bytes, { fileName: "a.pdf" });
  expect(asked).toEqual([`${url}/v1/extract`]);
  expect(taken[0]?.bytes.equals(bytes)).toBe(true);
});

test("lets the service fetch an address by itself", async () => {
  const { url, taken } = await service();
  const drs = createDrs({ server: url });
  await drs.datasets.upload(new URL("https://example.org/a%20b.pdf"), { vectorize: true, expiresInDays: 2 });
  expect(taken[0]).toMatchObject({
    jobType: "vectorize",
    fileName: "",
    fields: { url: "https://example.org/a%20b.pdf", expiresInDays: "2" },
  });
  await expect(drs.datasets.upload(new URL("file:///etc/passwd"))).rejects.toThrow("http and https addresses only");
});

test("the bytes of a large file are not kept", async () => {
  const path = join(folder, "huge.pdf");
  await writeFile(path, "");
  await truncate(path, 400_000_000);
  const server = await answering((request, response) => {
    request.resume();
    request.once("end", () => response.writeHead(403).end());
  });
  const before = process.memoryUsage().arrayBuffers;
  let max = 0;
  const upload = createDrs({ server }).datasets.upload(path, {
    singleRequestBytes: 500_000_000,
    onProgress: () => {
      max = Math.max(max, process.memoryUsage().arrayBuffers - before);
    },
  });
  await expect(upload).rejects.toMatchObject({ status: 403 });
  // Uncollected memory counts as well; a kept copy would be the whole file.
  expect(max).toBeLessThan(100_000_000);
});

test("an empty file is sent as such", async () => {
  const path = join(folder, "empty.pdf");
  await writeFile(path, "");
  const { url, taken } = await service();
  await createDrs({ server: url }).datasets.upload(path, { singleRequestBytes: 0 });
  expect(taken).toMatchObject([{ way: "whole", fileName: "empty.pdf" }]);
  expect(taken[0]?.bytes).toHaveLength(0);
});

test("a refusal while the bytes still flow arrives as the service worded it", async () => {
  const path = join(folder, "large.pdf");
  await writeFile(path, "");
  await truncate(path, 40_000_000);
  const server = await answering((request, response) => {
    request.once("data", () => {
      const body = JSON.stringify({ success: false, error: "the file is over 100 MB", code: "RESOURCE_EXHAUSTED" });
      const headers = { "content-type": "application/json", "x-request-id": "req-1" };
      response.writeHead(413, headers).end(body);
      request.resume();
    });
  });
  const error = await createDrs({ server })
    .datasets.upload(path)
    .catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(DrsError);
  expect(error).toMatchObject({
    status: 413,
    code: "resource_exhausted",
    message: "the file is over 100 MB",
    requestId: "req-1",
  });
});

test("an abort stops the upload with the reason of its signal", async () => {
  const path = join(folder, "slow.pdf");
  await writeFile(path, "");
  await truncate(path, 40_000_000);
  const cut = Promise.withResolvers<void>();
  const server = await answering((request) => {
    request.once("error", () => undefined);
    request.once("close", () => cut.resolve());
    // The end of a connection that is not read goes unnoticed.
    request.resume();
  });
  const stop = new AbortController();
  const reason = new Error("enough");
  const upload = createDrs({ server }).datasets.upload(path, {
    signal: stop.signal,
    onProgress: ({ sentBytes }) => sentBytes > 0 && stop.abort(reason),
  });
  await expect(upload).rejects.toBe(reason);
  await cut.promise;
});

test("a missing file and a folder are named before anything is sent", async () => {
  const drs = createDrs({ server: "http://127.0.0.1:1" });
  await expect(drs.datasets.upload(join(folder, "none.pdf"))).rejects.toThrow("none.pdf");
  await expect(drs.datasets.upload(folder)).rejects.toThrow("is not a file");
});

test("what is no answer of the service is reported as such", async () => {
  const broken = await answering((request, response) => {
    request.resume();
    response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
  });
  const upload = createDrs({ server: broken }).datasets.upload(new Blob(["x"]), { retryTimeoutMs: 0 });
  await expect(upload).rejects.toMatchObject({ status: 502, code: "unavailable" });
  const stranger = await answering((_, response) => void response.end("<h1>Welcome</h1>"));
  await expect(createDrs({ server: stranger }).datasets.upload(new Blob(["x"]))).rejects.toThrow("else than JSON");
});

test("is tried again where the service has not accepted it", async () => {
  const faults: Fault[] = [{ status: 503 }, { status: 429, headers: { "retry-after": "0" } }];
  const { url, requests, taken } = await service((_, nth) => faults[nth - 1]);
  await uploadDocument(connect({ server: url }), new Blob(["abc"]), {}, hasty);
  expect(requests).toEqual(["whole", "whole", "whole"]);
  expect(taken).toHaveLength(1);
});

test("is tried again while nothing listens", async () => {
  const first = await listen(() => undefined);
  const port = Number(new URL(first.url).port);
  await first.close();
  const upload = uploadDocument(connect({ server: first.url }), new Blob(["abc"]), {}, hasty);
  const late = createServer((request, response) => {
    request.resume();
    request.once("end", () =>
      response.end('{"data": {"id": "dsj_1", "type": "datasets/extract", "status": "IN_QUEUE"}}'),
    );
  });
  await new Promise<void>((resolve) => late.listen(port, "127.0.0.1", resolve));
  expect(await upload).toMatchObject({ id: "dsj_1" });
  late.close();
  late.closeAllConnections();
});

test.each<[string, Fault]>([
  ["a lost answer", "break-after"],
  ["a lost connection", "break"],
  ["a proxy without an upstream", { status: 502 }],
  ["a proxy that gave up waiting", { status: 504 }],
  ["a first try that is still at work", { status: 409, headers: { "retry-after": "0" } }],
])("is sent again under the same key after %s, and stored once", async (_, fault) => {
  const { url, requests, taken, keys } = await service((_request, nth) => (nth < 3 ? fault : undefined));
  const job = await uploadDocument(connect({ server: url }), new Blob(["abc"]), {}, hasty);
  expect(job).toMatchObject({ id: "dsj_1" });
  expect(requests).toEqual(["whole", "whole", "whole"]);
  expect(taken).toHaveLength(1);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  await uploadDocument(connect({ server: url }), new Blob(["abc"]), {}, hasty);
  expect(taken).toHaveLength(2);
});

test("has the caller's key, if there is one", async () => {
  const { url, taken, keys } = await service();
  for (let times = 0; times < 2; times += 1) {
    await createDrs({ server: url }).datasets.upload(new Blob(["abc"]), { idempotencyKey: "order-1" });
  }
  expect(keys).toEqual(["order-1", "order-1"]);
  expect(taken).toHaveLength(1);
});

test.each<[string, Fault]>([
  ["a failure inside", { status: 500 }],
  ["a conflict", { status: 409 }],
])("is not sent again after %s", async (_, fault) => {
  const { url, requests } = await service(() => fault);
  const upload = uploadDocument(connect({ server: url }), new Blob(["abc"]), {}, hasty);
  await expect(upload).rejects.toBeInstanceOf(DrsError);
  expect(requests).toEqual(["whole"]);
});

test("without patience nothing is tried again", async () => {
  const { url, requests } = await service(() => ({ status: 503 }));
  await expect(
    createDrs({ server: url }).datasets.upload(new Blob(["abc"]), { retryTimeoutMs: 0 }),
  ).rejects.toMatchObject({
    status: 503,
  });
  expect(requests).toEqual(["whole"]);
});
