import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createDrs, DrsError, type UploadProgress } from "../index.ts";
import { runtime as browser } from "../runtime/browser.ts";
import { connect } from "../connection.ts";
import { listen, type Listening } from "../testing/service.ts";

let folder: string;
const open: Listening[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-upload-"));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(async () => {
  vi.unstubAllGlobals();
  await Promise.all(open.splice(0).map((service) => service.close()));
});

interface Received {
  path: string;
  key: string | undefined;
  length: string | undefined;
  form: FormData;
}

/** A service that takes an upload as REST says. */
async function receiver(
  answer?: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ server: string; received: Received[] }> {
  const received: Received[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const type = request.headers["content-type"] ?? "";
    const form = await new Response(Buffer.concat(pieces), { headers: { "content-type": type } }).formData();
    const key = request.headers["x-api-key"];
    received.push({ path: request.url ?? "", key: String(key), length: request.headers["content-length"], form });
    const data = {
      id: "dsj_1",
      datasetId: "ds_1",
      type: "datasets/extract",
      status: "IN_PROGRESS",
      statusText: null,
      createdAt: 7,
      added: "later",
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ success: true, total: 1, data }));
  };
  const accept = (request: IncomingMessage, response: ServerResponse): void => void take(request, response);
  const service = await listen(
    () => undefined,
    (request, response) => (answer ?? accept)(request, response),
  );
  open.push(service);
  return { server: service.url, received };
}

async function fileOf(form: FormData | undefined): Promise<{ name: string; bytes: Uint8Array }> {
  const file = form?.get("file");
  if (!(file instanceof File)) throw new Error("the form has no file");
  return { name: file.name, bytes: await file.bytes() };
}

describe("in Node", () => {
  test("streams a path with its length announced, and tells how far it is", async () => {
    const bytes = new Uint8Array(1_000_003).map((_, index) => index % 251);
    const path = join(folder, 'größe "4".pdf');
    await writeFile(path, bytes);
    const { server, received } = await receiver();
    const progress: UploadProgress[] = [];
    const drs = createDrs({ server, apiKey: "drs_test" });
    const job = await drs.datasets.upload(path, { expiresInDays: 1.5, onProgress: (at) => progress.push(at) });

    expect(job).toMatchObject({
      id: "dsj_1",
      datasetId: "ds_1",
      type: "datasets/extract",
      status: "IN_PROGRESS",
      createdAt: 7,
    });
    expect(received[0]).toMatchObject({ path: "/v1/extract", key: "drs_test" });
    expect(Number(received[0]?.length)).toBeGreaterThan(bytes.length);
    expect(received[0]?.form.get("expiresInDays")).toBe("1.5");
    const file = await fileOf(received[0]?.form);
    expect(Buffer.from(file.bytes).equals(bytes)).toBe(true);
    expect(file.name.replaceAll("%22", '"')).toBe('größe "4".pdf');
    expect(progress[0]).toEqual({ sentBytes: 0, totalBytes: bytes.length });
    expect(progress.at(-1)).toEqual({ sentBytes: bytes.length, totalBytes: bytes.length });
    expect(progress.length).toBeGreaterThan(4);
  });

  test("takes files, bytes and streams, and vectorizes on request", async () => {
    const { server, received } = await receiver();
    const drs = createDrs({ server });
    await drs.datasets.upload(new File(["abc"], "a.pdf", { type: "application/pdf" }), { vectorize: true });
    await drs.datasets.upload(new Uint8Array([97, 98]), { fileName: "b.pdf" });
    await drs.datasets.upload(new Blob(["x"]).stream());
    expect(received.map(({ path }) => path)).toEqual(["/v1/vectorize", "/v1/extract", "/v1/extract"]);
    expect(await fileOf(received[0]?.form)).toMatchObject({ name: "a.pdf", bytes: new TextEncoder().encode("abc") });
    expect(await fileOf(received[1]?.form)).toMatchObject({ name: "b.pdf", bytes: new TextEncoder().encode("ab") });
    expect(await fileOf(received[2]?.form)).toMatchObject({ name: "document", bytes: new TextEncoder().encode("x") });
    expect(received[2]?.length).toBeUndefined();
  });

  test("the bytes of a large file are not kept", async () => {
    const path = join(folder, "huge.pdf");
    await writeFile(path, "");
    await truncate(path, 400_000_000);
    const { server } = await receiver((request, response) => {
      request.resume();
      request.once("end", () => response.writeHead(503).end());
    });
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const upload = createDrs({ server }).datasets.upload(path, {
      onProgress: () => {
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
      },
    });
    await expect(upload).rejects.toMatchObject({ status: 503 });
    // What is not collected yet counts as well; a kept copy would be the whole file.
    expect(most).toBeLessThan(250_000_000);
  });

  test("an empty file is sent as such", async () => {
    const path = join(folder, "empty.pdf");
    await writeFile(path, "");
    const { server, received } = await receiver();
    await createDrs({ server }).datasets.upload(path);
    expect((await fileOf(received[0]?.form)).bytes).toHaveLength(0);
  });

  test("a refusal while the bytes still flow arrives as the service worded it", async () => {
    const path = join(folder, "large.pdf");
    await writeFile(path, "");
    await truncate(path, 40_000_000);
    const { server } = await receiver((request, response) => {
      request.once("data", () => {
        const body = JSON.stringify({ success: false, error: "the file is over 100 MB", code: "RESOURCE_EXHAUSTED" });
        response
          .writeHead(413, { "content-type": "application/json", "x-request-id": "req-1", connection: "close" })
          .end(body);
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
    const { server } = await receiver((request) => {
      request.once("error", () => undefined);
      request.once("close", () => cut.resolve());
      // Nobody notices the end of a connection that is not read.
      request.resume();
    });
    const stop = new AbortController();
    const reason = new Error("enough");
    const upload = createDrs({ server }).datasets.upload(path, {
      signal: stop.signal,
      onProgress: ({ sentBytes }) => sentBytes > 100_000 && stop.abort(reason),
    });
    await expect(upload).rejects.toBe(reason);
    await cut.promise;
  });

  test("a missing file and a folder are named before anything is sent", async () => {
    const drs = createDrs({ server: "http://127.0.0.1:1" });
    await expect(drs.datasets.upload(join(folder, "none.pdf"))).rejects.toThrow("none.pdf");
    await expect(drs.datasets.upload(folder)).rejects.toThrow("is not a file");
  });

  test("a proxy's page is reported by its status", async () => {
    const { server } = await receiver((request, response) => {
      request.resume();
      response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
    });
    await expect(createDrs({ server }).datasets.upload(new Blob(["x"]))).rejects.toMatchObject({
      status: 502,
      code: "unavailable",
    });
  });
});

describe("in a browser", () => {
  const form = {
    fields: [["expiresInDays", "3"]],
    file: { fileName: "a.pdf", mimeType: "application/pdf", size: 3, content: new Blob(["abc"]) },
  } as const;

  test("sends a form, and streams gathered into one", async () => {
    const { server, received } = await receiver();
    const connection = connect({ server });
    await browser.sendForm(connection, "/v1/extract", form, { signal: undefined, onProgress: undefined });
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array([97]);
      yield new Uint8Array([98]);
    }
    const streamed = { ...form, file: { ...form.file, size: undefined, content: pieces() } };
    await browser.sendForm(connection, "/v1/extract", streamed, { signal: undefined, onProgress: undefined });
    expect(received[0]?.form.get("expiresInDays")).toBe("3");
    expect(await fileOf(received[0]?.form)).toMatchObject({ name: "a.pdf", bytes: new TextEncoder().encode("abc") });
    expect((await fileOf(received[1]?.form)).bytes).toEqual(new Uint8Array([97, 98]));
  });

  test("reports progress through XMLHttpRequest, and its errors alike", async () => {
    const sent: { url: string; key: string | undefined }[] = [];
    let status = 200;
    class FakeRequest {
      upload = new EventTarget();
      events = new EventTarget();
      statusText = "";
      headers: Record<string, string> = {};
      url = "";
      get status(): number {
        return status;
      }
      get responseText(): string {
        return status === 200 ? '{"success":true}' : '{"success":false,"error":"no key","code":"UNAUTHENTICATED"}';
      }
      addEventListener(type: string, listener: () => void): void {
        this.events.addEventListener(type, listener);
      }
      open(_method: string, url: string): void {
        this.url = url;
      }
      setRequestHeader(name: string, value: string): void {
        this.headers[name] = value;
      }
      getResponseHeader(name: string): string | null {
        return name === "x-request-id" ? "req-3" : null;
      }
      send(): void {
        sent.push({ url: this.url, key: this.headers["x-api-key"] });
        this.upload.dispatchEvent(Object.assign(new Event("progress"), { loaded: 2, total: 3 }));
        this.events.dispatchEvent(new Event("load"));
      }
    }
    vi.stubGlobal("XMLHttpRequest", FakeRequest);
    const seen: number[] = [];
    const connection = connect({ server: "http://drs.example", apiKey: "drs_test" });
    const options = { signal: undefined, onProgress: ({ sentBytes }: UploadProgress) => seen.push(sentBytes) };
    expect(await browser.sendForm(connection, "/v1/extract", form, options)).toEqual({ success: true });
    expect(sent).toEqual([{ url: "http://drs.example/v1/extract", key: "drs_test" }]);
    expect(seen).toEqual([2, 3]);
    status = 401;
    await expect(browser.sendForm(connection, "/v1/extract", form, options)).rejects.toMatchObject({
      code: "unauthenticated",
      status: 401,
      requestId: "req-3",
      message: "no key",
    });
  });

  test("has no paths", async () => {
    await expect(browser.openPath("a.pdf")).rejects.toThrow("no paths in a browser");
  });
});
