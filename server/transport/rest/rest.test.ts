import { createHash, randomBytes } from "node:crypto";
import net from "node:net";
import { once } from "node:events";
import http2 from "node:http2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fixture, fullKey, readKey, startFixture } from "../testing/transport.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.transport.close(0));
beforeEach(() => {
  fixture.logged.length = 0;
  Object.assign(fixture.seen, { uploads: [], messages: 0, largestMessage: 0, broken: [] });
});

async function call(path: string, init: RequestInit = {}) {
  const headers = new Headers(init.headers);
  if (!headers.has("x-api-key")) headers.set("x-api-key", fullKey);
  const response = await fetch(`${fixture.url}${path}`, { ...init, headers });
  const json: unknown = await response.json();
  return { status: response.status, json, headers: response.headers };
}

const post = (path: string, json: unknown, headers: Record<string, string> = {}) =>
  call(path, {
    method: "POST",
    body: typeof json === "string" ? json : JSON.stringify(json),
    headers: { "content-type": "application/json", ...headers },
  });

function failure(code: string, error: unknown = expect.any(String), more: object = {}) {
  return { success: false, code, error, reason: expect.stringMatching(/^[A-Z_]+$/), ...more };
}

/** A message, literally or as a pattern. */
const sentence = (text: string | RegExp): unknown =>
  expect.stringMatching(typeof text === "string" ? `^${RegExp.escape(text)}$` : text);

describe("answers", () => {
  test("a single one is wrapped; unset nullable fields are null, others with defaults are written", async () => {
    const { json, headers } = await call("/v1/jobs/dsj_1");
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(json).toEqual({
      success: true,
      total: 1,
      data: {
        id: "dsj_1",
        datasetId: expect.stringMatching(/^ws_/),
        type: "datasets/extract",
        status: "IN_PROGRESS",
        statusText: null,
        startedAt: null,
        finishedAt: null,
        canceledAt: null,
        createdAt: 1721300000000,
        updatedAt: null,
        progress: { stage: "read", pagesDone: 0, pagesTotal: 0 },
        failures: [],
        warnings: [],
      },
    });
  });

  test("lists come with or without the envelope, as the contract says", async () => {
    expect((await call("/v1/datasets?type=doc,image&sort=-createdAt,fileName&offset=2&limit=100")).json).toMatchObject({
      success: true,
      total: 2,
      data: [{ id: "-createdAt|fileName 2 100", type: "doc", fileSize: 1099511627776, expiresAt: null }],
    });
    const { json } = await call("/v1/jobs?statuses=SUCCESS,%20ERROR&statuses=IN_QUEUE");
    expect(json).toEqual({
      statuses: ["SUCCESS", "ERROR", "IN_QUEUE"],
      sort: [],
      orderBy: [],
      total: 3,
      offset: 0,
      limit: 0,
      data: [],
    });
  });

  test("some have no total", async () => {
    const { json } = await call("/v1/datasets/ds_1", { method: "DELETE" });
    expect(json).toEqual({ success: true, data: { id: "ds_1", freedBytes: 5 } });
  });

  test("HEAD answers like GET, without the body", async () => {
    const response = await fetch(`${fixture.url}/v1/jobs/dsj_1`, { method: "HEAD", headers: { "x-api-key": fullKey } });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(Number(response.headers.get("content-length"))).toBeGreaterThan(100);
  });
});

describe("requests", () => {
  test("path, query and lists arrive", async () => {
    const { json } = await call("/v1/datasets/ds%5f1/items?row=pdf&cols=5:10,%2016&cols=20:");
    expect(json).toMatchObject({ data: [{ id: "5:10|16|20:", datasetId: "ds_1", row: "pdf" }] });
  });

  test.each([
    ["a bare string", { query: "a question", datasetIds: ["ds_1", "ds_2"] }, "a question//ds_1|ds_2"],
    ["an object", { query: { text: "t", image_url: "data:x" } }, "t/data:x/"],
    ["proto names", { query: "q", dataset_ids: ["ds_1"] }, "q//ds_1"],
    ["null for unset", { query: "q", limit: null }, "q//"],
  ])("a JSON body with %s", async (_what, body, id) => {
    expect((await post("/v1/search", body)).json).toMatchObject({
      success: true,
      total: 1,
      data: [{ id, score: 0.5 }],
    });
  });

  test("a form may stand for a JSON body", async () => {
    const form = new FormData();
    form.set("query", "from a form");
    form.set("datasetIds", "ds_1,ds_2");
    const { json } = await call("/v1/search", { method: "POST", body: form });
    expect(json).toMatchObject({ data: [{ id: "from a form//ds_1|ds_2" }] });
  });

  test("no body is needed if a request has no fields", async () => {
    expect((await call("/v1/datasets/ds_7/vectorize", { method: "POST" })).json).toMatchObject({
      data: { id: "ds_7" },
    });
  });

  test("the path decides, whatever else names the same field", async () => {
    expect((await post("/v1/datasets/ds_7/vectorize", { id: "ds_8" })).json).toMatchObject({ data: { id: "ds_7" } });
    expect((await call("/v1/jobs/dsj_7?id=dsj_8")).json).toMatchObject({ data: { id: "dsj_7" } });
  });
});

describe("errors", () => {
  test.each([
    ["missing", 404, "NOT_FOUND", "there is no job missing"],
    ["conflict", 409, "ALREADY_EXISTS", "the job is already done"],
    ["unsupported", 415, "INVALID_ARGUMENT", "that is no document"],
    ["unprocessable", 422, "FAILED_PRECONDITION", "the page does not render"],
    ["bug", 500, "INTERNAL", expect.stringMatching(/request id req_/)],
  ])("%s is a %i", async (id, status, code, error) => {
    expect(await call(`/v1/jobs/${id}`)).toMatchObject({ status, json: failure(code, error) });
  });

  test.each([
    ["limit that is no number", "/v1/jobs?limit=abc", "limit must be a whole number that is not negative"],
    ["empty limit", "/v1/jobs?limit=", "limit must be a whole number that is not negative"],
    ["negative offset", "/v1/jobs?offset=-1", "offset must be a whole number that is not negative"],
    ["fraction", "/v1/jobs?limit=1.5", "limit must be a whole number that is not negative"],
    ["limit given twice", "/v1/jobs?limit=5&limit=6", "limit is given twice"],
    ["limit out of range", "/v1/jobs?limit=101", /^limit: .*100/],
    ["word that is none", "/v1/jobs?statuses=SUCCESS,DONE", /^statuses\[1\] must be one of NOT_STARTED, .*, ERROR$/],
    ["unspecified word", "/v1/jobs?statuses=JOB_STATUS_UNSPECIFIED", /^statuses\[0\] must be one of/],
    ["broken percent-encoding", "/v1/jobs/%zz", "the path is not valid percent-encoding"],
  ])("400 for a %s", async (_what, path, error) => {
    expect(await call(path)).toMatchObject({ status: 400, json: failure("INVALID_ARGUMENT", sentence(error)) });
  });

  test.each([
    ["no JSON", "{", /^the body is not valid JSON: /],
    ["no object", "[]", "the body must be a JSON object"],
    ["nothing", "", /^query: /],
    ["a number for a text", { query: 5 }, "query must be a string or an object"],
    ["an empty query", { query: {} }, "query needs text, image_url or both"],
    ["a text for a list", { query: "q", datasetIds: "ds_1" }, "datasetIds must be an array of strings"],
    ["a number in a list", { query: "q", datasetIds: [1] }, "datasetIds must be an array of strings"],
    ["a field under both names", { query: "q", datasetIds: ["a"], dataset_ids: ["a"] }, "datasetIds is given twice"],
    ["a wrong row", { query: "q", row: "png" }, "row must be one of pdf, jpg, embedding_image"],
  ])("400 for a body with %s", async (_what, body, error) => {
    const json = failure("INVALID_ARGUMENT", sentence(error));
    expect(await post("/v1/search", body)).toMatchObject({ status: 400, json });
  });

  test("400 for a body that is not UTF-8", async () => {
    const body = Buffer.from([0x22, 0xff, 0x22]);
    const answer = await call("/v1/search", { method: "POST", body, headers: { "content-type": "application/json" } });
    expect(answer).toMatchObject({ status: 400, json: failure("INVALID_ARGUMENT", "the body is not valid UTF-8") });
  });

  test("401 without a key, 403 with one that lacks the scope", async () => {
    expect(await call("/v1/jobs", { headers: { "x-api-key": "unknown" } })).toMatchObject({
      status: 401,
      json: failure("UNAUTHENTICATED"),
    });
    const { status, json } = await post("/v1/search", { query: "q" }, { "x-api-key": readKey });
    const lacking = { reason: "SCOPE_MISSING", next: expect.stringContaining("drs keys create") };
    expect([status, json]).toEqual([403, failure("PERMISSION_DENIED", expect.any(String), lacking)]);
    const bearer = { "x-api-key": "", authorization: `Bearer ${fullKey}` };
    expect((await call("/v1/jobs", { headers: bearer })).status).toBe(200);
  });

  test("404 for unknown paths, 405 with Allow for verbs", async () => {
    expect(await call("/v1/none")).toMatchObject({ status: 404, json: failure("NOT_FOUND") });
    expect(await call("/v1/jobs/")).toMatchObject({ status: 404 });
    const { status, headers } = await call("/v1/datasets/ds_1", { method: "PUT" });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD, PATCH, DELETE, OPTIONS"]);
    expect((await call("/v1/search")).headers.get("allow")).toBe("POST, OPTIONS");
  });

  test("406 if the Accept header rules out the answer", async () => {
    const statusFor = async (accept: string) => (await call("/v1/jobs", { headers: { accept } })).status;
    expect(await statusFor("text/html")).toBe(406);
    expect(await statusFor("application/json;q=0, */*")).toBe(406);
    expect(await statusFor("text/html, */*;q=0.1")).toBe(200);
    expect((await call("/v1/jobs/a/watch", { headers: { accept: "application/json" } })).status).toBe(406);
  });

  test("415 for bodies of other types, 413 for too large ones", async () => {
    const xml = await post("/v1/search", "<query/>", { "content-type": "application/xml" });
    expect([xml.status, xml.json]).toEqual([
      415,
      failure("INVALID_ARGUMENT", expect.stringContaining("application/json")),
    ]);
    expect((await post("/v1/search", "{}", { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post("/v1/extract", "x", { "content-type": "application/pdf" })).json).toMatchObject({
      error: expect.stringContaining("send multipart/form-data"),
    });
    const large = await post("/v1/search", `{"query":"${"x".repeat(32 * 2 ** 20)}"}`);
    expect([large.status, large.json]).toEqual([
      413,
      failure("RESOURCE_EXHAUSTED", "a JSON body may have at most 32 MB"),
    ]);
  });
});

describe("uploads", () => {
  const document = randomBytes(3 * 2 ** 20 + 17);
  const sha256 = createHash("sha256").update(document).digest("hex");

  const send = (form: FormData) => call("/v1/extract", { method: "POST", body: form });

  test("arrive byte by byte as they were sent, with fields before and after the file", async () => {
    const form = new FormData();
    form.set("file", new Blob([document]), "dir/Übersicht 文書.pdf");
    form.set("expiresInDays", "2.5");
    expect(await send(form)).toMatchObject({ status: 200, json: { success: true, total: 1, data: { id: sha256 } } });
    expect(fixture.seen.uploads).toEqual([
      { fileName: "Übersicht 文書.pdf", size: document.length, sha256, expiresInDays: 2.5, url: "" },
    ]);
    expect(fixture.seen.largestMessage).toBeGreaterThanOrEqual(32 * 1024);
  });

  test("work over HTTP/2 as well", async () => {
    const session = http2.connect(fixture.url);
    const stream = session.request({
      ":method": "POST",
      ":path": "/v1/extract",
      "x-api-key": fullKey,
      "content-type": "multipart/form-data; boundary=b",
    });
    stream.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n');
    stream.write(document);
    stream.end("\r\n--b--\r\n");
    const [headers] = await once(stream, "response");
    stream.resume();
    await once(stream, "close");
    session.close();
    expect(headers[":status"]).toBe(200);
    expect(fixture.seen.uploads).toMatchObject([{ sha256 }]);
  });

  test("of an empty file differ from uploads of none", async () => {
    const form = new FormData();
    form.set("file", new Blob([]), "empty.pdf");
    expect((await send(form)).status).toBe(200);
    expect(fixture.seen.uploads).toMatchObject([{ fileName: "empty.pdf", size: 0 }]);
    const none = new FormData();
    none.set("expiresInDays", "1");
    expect(await send(none)).toMatchObject({
      status: 400,
      json: failure("INVALID_ARGUMENT", "give the document as file"),
    });
    expect((await call("/v1/extract", { method: "POST" })).status).toBe(400);
  });

  test("may name an address instead, as a form or as JSON", async () => {
    const form = new FormData();
    form.set("url", "https://example.org/a.pdf");
    expect((await send(form)).status).toBe(200);
    expect((await post("/v1/extract", { url: "https://example.org/b.pdf", expiresInDays: -1 })).status).toBe(200);
    expect(fixture.seen.uploads).toMatchObject([
      { url: "https://example.org/a.pdf" },
      { url: "https://example.org/b.pdf", expiresInDays: -1 },
    ]);
  });

  test.each([
    ["a file that is a text", [["file", "text"]], /^send file as a file: curl -F file=@/],
    [
      "two files",
      [
        ["file", new Blob(["a"])],
        ["file", new Blob(["b"])],
      ],
      "send one file only",
    ],
    [
      "a file under another name",
      [["document", new Blob(["a"])]],
      "send the file as the form field file, not document",
    ],
    [
      "a field given twice",
      [
        ["url", "a"],
        ["url", "b"],
      ],
      "url is given twice",
    ],
    ["a field of a wrong type", [["expiresInDays", "soon"]], "expiresInDays must be a number"],
    ["a field against the rules", [["expiresInDays", "0"]], /^expiresInDays must be -1 or greater than 0/],
    [
      "a field against the rules after the file",
      [
        ["file", new Blob(["a"])],
        ["expiresInDays", "-2"],
      ],
      /^expiresInDays must/,
    ],
    ["too many fields", Array.from({ length: 101 }, () => ["url", "a"]), "url is given twice"],
  ] as const)("400 for %s", async (_what, parts, error) => {
    const form = new FormData();
    for (const [name, value] of parts) form.append(name, value);
    expect(await send(form)).toMatchObject({ status: 400, json: failure("INVALID_ARGUMENT", sentence(error)) });
    expect(fixture.seen.uploads).toEqual([]);
  });

  test("413 for an oversized field", async () => {
    const form = new FormData();
    form.set("url", "x".repeat(2 * 2 ** 20 + 1));
    expect(await send(form)).toMatchObject({ status: 413, json: failure("RESOURCE_EXHAUSTED") });
  });

  test("413 as soon as a file is too large, and the rest of it is not waited for", async () => {
    let isSent = false;
    const head = Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n');
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(head),
      pull: (controller) => {
        // Sends while the connection is open: only an early answer ends it.
        if (isSent) controller.close();
        else controller.enqueue(new Uint8Array(65_536));
      },
    });
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const init = { method: "POST", body, headers, duplex: "half" as const };
    const { status, json } = await call("/v1/extract", init);
    isSent = true;
    expect([status, json]).toEqual([413, failure("RESOURCE_EXHAUSTED", "the file is too large")]);
  });

  const raw = (body: string, contentType = "multipart/form-data; boundary=b") =>
    call("/v1/extract", { method: "POST", body, headers: { "content-type": contentType } });
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\nbytes';

  test.each([
    ["that ends within the file", part],
    ["that ends within the headers of a part", part.slice(0, 30)],
    ["that ends after a part", `${part}\r\n--b\r\n`],
    ["without parts", ""],
    ["that is something else", "hello"],
    ["with another boundary", part.replace("--b", "--c")],
  ])("400 for a form %s", async (_what, body) => {
    expect(await raw(body)).toMatchObject({
      status: 400,
      json: failure("INVALID_ARGUMENT", "the multipart body is broken or ends too early"),
    });
    expect(fixture.seen.uploads).toEqual([]);
  });

  test("400 for a form without a boundary", async () => {
    expect(await raw(part, "multipart/form-data")).toMatchObject({
      status: 400,
      json: failure("INVALID_ARGUMENT", "the Content-Type multipart/form-data needs a boundary"),
    });
  });

  test("are read no faster than they are stored", async () => {
    const stall = Promise.withResolvers<void>();
    fixture.seen.stall = stall.promise;
    const { hostname, port } = new URL(fixture.url);
    const socket = net.connect(Number(port), hostname);
    const size = 64 * 2 ** 20;
    const head = part.replace("a.pdf", "stall.pdf");
    socket.write(
      `POST /v1/extract HTTP/1.1\r\nHost: x\r\nx-api-key: ${fullKey}\r\nContent-Length: ${size}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\n\r\n${head}`,
    );
    const stop = new AbortController();
    let taken = 0;
    const sending = (async () => {
      for (; taken < size / 2; taken += 65_536)
        if (!socket.write(Buffer.alloc(65_536))) await once(socket, "drain", { signal: stop.signal });
    })();
    let before = -1;
    // The buffers of both sockets fill up, and then nothing more is read.
    await expect.poll(() => before === (before = taken), { interval: 200 }).toBe(true);
    expect(taken).toBeGreaterThan(0);
    expect(taken).toBeLessThan(size / 2);
    expect(fixture.seen.messages).toBeLessThan(4);
    stall.resolve();
    await once(socket, "data");
    expect(fixture.seen.broken).toHaveLength(1);
    stop.abort();
    socket.destroy();
    await sending.catch(() => undefined);
  });

  test("an aborted one ends the call, and the server keeps running", async () => {
    const { hostname, port } = new URL(fixture.url);
    const socket = net.connect(Number(port), hostname);
    socket.write(
      `POST /v1/extract HTTP/1.1\r\nHost: x\r\nx-api-key: ${fullKey}\r\nContent-Length: 1000000\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\n\r\n${part}${"x".repeat(100_000)}`,
    );
    await expect.poll(() => fixture.seen.messages).toBeGreaterThan(0);
    socket.destroy();
    await expect.poll(() => fixture.seen.broken).toHaveLength(1);
    expect(fixture.seen.uploads).toEqual([]);
    const lines = () => fixture.logged.filter(({ code, protocol }) => code === "CANCELED" && protocol === "rest");
    await expect.poll(lines).toHaveLength(1);
    expect(fixture.logged.filter(({ level }) => level === 50)).toEqual([]);
    expect((await call("/v1/jobs")).status).toBe(200);
  });
});

describe("events", () => {
  const watch = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${fixture.url}${path}`, { headers: { "x-api-key": fullKey, ...headers } });
    return { response, text: await response.text() };
  };

  test("carry their id and the state", async () => {
    const { response, text } = await watch("/v1/jobs/dsj_1/watch");
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const events = text.split("\n\n").filter((event) => event !== "");
    expect(events).toHaveLength(3);
    const [, id, data = ""] = /^id: (\d+)\ndata: (.*)$/.exec(events[0] ?? "") ?? [];
    expect(id).toBe("1");
    expect(JSON.parse(data)).toMatchObject({ id: "dsj_1", status: "IN_PROGRESS", statusText: null });
  });

  test("continue after the last one seen", async () => {
    const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);
    expect(ids((await watch("/v1/jobs/dsj_1/watch", { "last-event-id": "41" })).text)).toEqual(["42", "43", "44"]);
    expect(ids((await watch("/v1/jobs/dsj_1/watch?afterRevision=7")).text)).toEqual(["8", "9", "10"]);
    const both = await watch("/v1/jobs/dsj_1/watch?afterRevision=7", { "last-event-id": "41" });
    expect(ids(both.text)).toEqual(["42", "43", "44"]);
    expect((await watch("/v1/jobs/dsj_1/watch", { "last-event-id": "x" })).response.status).toBe(400);
  });

  test("an error before the first has its status, a later one is the last event", async () => {
    const missing = await watch("/v1/jobs/missing/watch");
    expect([missing.response.status, JSON.parse(missing.text)]).toMatchObject([404, failure("NOT_FOUND")]);
    const { text } = await watch("/v1/jobs/broken/watch");
    const [, data = ""] = /event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
    expect(JSON.parse(data)).toEqual(failure("ALREADY_EXISTS", "the job is broken"));
  });

  test("end when the client goes away, and a quiet stream sends signs of life", async () => {
    const stop = new AbortController();
    const response = await fetch(`${fixture.url}/v1/jobs/endless/watch`, {
      headers: { "x-api-key": fullKey },
      signal: stop.signal,
    });
    let text = "";
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => undefined);
    await expect.poll(() => text).toContain("id: 3\n");
    expect(fixture.seen.watching).toBe(1);
    stop.abort();
    await reading;
    await expect.poll(() => fixture.seen.watching).toBe(0);
  });
});
