import http2 from "node:http2";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, openBodies, sharedBytes, startFixture } from "../testing/transport.ts";
import { contentDisposition } from "./share.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.transport.close(0));

const get = (headers: Record<string, string> = {}, id = "dsx_1", init: RequestInit = {}) =>
  fetch(`${fixture.url}/v1/share/${id}?token=good`, { ...init, headers });

const text = sharedBytes.toString();

test("a link returns the bytes with all headers", async () => {
  const response = await get();
  expect(await response.text()).toBe(text);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html",
    "content-length": "20",
    "content-disposition": `inline; filename="page.txt"; filename*=UTF-8''page.txt`,
    "accept-ranges": "bytes",
    etag: '"tag"',
    "last-modified": "Fri, 02 Jan 2026 03:04:05 GMT",
    "cache-control": "private, max-age=60",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "access-control-allow-origin": "*",
  });
});

test("HEAD returns the same headers without the bytes", async () => {
  const response = await get({}, "dsx_1", { method: "HEAD" });
  expect([response.status, response.headers.get("content-length"), await response.text()]).toEqual([200, "20", ""]);
});

describe("ranges", () => {
  test.each([
    ["bytes=0-0", 206, "0", "bytes 0-0/20"],
    ["bytes=5-9", 206, "56789", "bytes 5-9/20"],
    ["BYTES=18-", 206, "ij", "bytes 18-19/20"],
    ["bytes=-3", 206, "hij", "bytes 17-19/20"],
    ["bytes=-500", 206, text, "bytes 0-19/20"],
    ["bytes=10-999", 206, "abcdefghij", "bytes 10-19/20"],
    ["bytes=0-1,5-6", 200, text, null],
    ["pages=1-2", 200, text, null],
  ])("%s is answered with %i", async (range, status, body, contentRange) => {
    const response = await get({ range });
    expect([response.status, await response.text(), response.headers.get("content-range")]).toEqual([
      status,
      body,
      contentRange,
    ]);
    expect(response.headers.get("content-length")).toBe(String(body.length));
  });

  test.each(["bytes=20-", "bytes=9-5", "bytes=-0", "bytes=-", "bytes=a-b", "bytes="])("%s is a 416", async (range) => {
    const response = await get({ range });
    expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */20"]);
    expect(await response.json()).toMatchObject({ success: false, code: "OUT_OF_RANGE" });
  });

  test.each([
    ['"tag"', 206],
    ['"other"', 200],
    ['W/"tag"', 200],
    ["Fri, 02 Jan 2026 03:04:05 GMT", 206],
    ["Fri, 02 Jan 2026 03:04:06 GMT", 200],
    ["nonsense", 200],
  ])("with If-Range %s is answered with %i", async (ifRange, status) => {
    expect((await get({ range: "bytes=1-2", "if-range": ifRange })).status).toBe(status);
  });
});

test.each([
  ["if-none-match", '"tag"', 304],
  ["if-none-match", 'W/"tag"', 304],
  ["if-none-match", '"a", "tag"', 304],
  ["if-none-match", "*", 304],
  ["if-none-match", '"other"', 200],
  ["if-modified-since", "Fri, 02 Jan 2026 03:04:05 GMT", 304],
  ["if-modified-since", "Fri, 02 Jan 2026 03:04:04 GMT", 200],
  ["if-modified-since", "nonsense", 200],
  ["if-match", '"tag"', 200],
  ["if-match", 'W/"tag"', 412],
  ["if-match", '"other"', 412],
  ["if-unmodified-since", "Fri, 02 Jan 2026 03:04:04 GMT", 412],
  ["if-unmodified-since", "Fri, 02 Jan 2026 03:04:05 GMT", 200],
])("%s: %s is answered with %i", async (name, value, status) => {
  // Without this, fetch would add its own conditions.
  const response = await get({ [name]: value, "cache-control": "no-cache" });
  const body = await response.text();
  expect([response.status, body === ""]).toEqual([status, status === 304]);
  expect(response.headers.get("etag")).toBe(status === 412 ? null : '"tag"');
});

test("If-None-Match outweighs If-Modified-Since", async () => {
  const headers = { "if-none-match": '"other"', "if-modified-since": "Fri, 02 Jan 2026 03:04:05 GMT" };
  expect((await get(headers)).status).toBe(200);
});

test("links that are not valid are all answered alike", async () => {
  const bodies = new Set<string>();
  for (const path of [
    "dsx_1?token=bad",
    "dsx_1",
    "dsx_1?token=",
    "none?token=x",
    "%zz?token=x",
    "a/b?token=x",
    "?token=x",
  ]) {
    const response = await fetch(`${fixture.url}/v1/share/${path}`);
    expect(response.status).toBe(403);
    bodies.add(await response.text());
  }
  expect([...bodies]).toEqual([
    JSON.stringify({
      success: false,
      error: "this link is not valid or has expired; ask for a new one",
      code: "PERMISSION_DENIED",
      reason: "PERMISSION_DENIED",
    }),
  ]);
});

test("links are read only", async () => {
  const response = await get({}, "dsx_1", { method: "POST" });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test.each([
  [undefined, "text/html"],
  ["*/*", "text/html"],
  ["application/octet-stream", "application/octet-stream"],
  ["application/json, application/octet-stream;q=0.9", "text/html"],
  ["application/octet-stream, application/json;q=0.9", "application/octet-stream"],
])("an embedding for Accept %s", async (accept, contentType) => {
  const response = await get(accept === undefined ? {} : { accept });
  expect(response.headers.get("content-type")).toBe(contentType);
});

describe("a client that goes away closes the content", () => {
  test("over HTTP/1.1", async () => {
    const stop = new AbortController();
    const response = await get({}, "endless", { signal: stop.signal });
    expect(openBodies.count).toBe(1);
    await response.body?.getReader().read();
    stop.abort();
    await expect.poll(() => openBodies.count).toBe(0);
  });

  test("over HTTP/2", async () => {
    const session = http2.connect(fixture.url);
    const stream = session.request({ ":path": "/v1/share/endless?token=good" });
    await once(stream, "data");
    expect(openBodies.count).toBe(1);
    stream.close(http2.constants.NGHTTP2_CANCEL);
    await expect.poll(() => openBodies.count).toBe(0);
    session.close();
  });
});

test.each([
  ["a.pdf", `inline; filename="a.pdf"; filename*=UTF-8''a.pdf`],
  [
    'Über "uns" 100%.pdf',
    `inline; filename="_ber _uns_ 100_.pdf"; filename*=UTF-8''%C3%9Cber%20%22uns%22%20100%25.pdf`,
  ],
  ["a'(b)*.pdf", `inline; filename="a'(b)*.pdf"; filename*=UTF-8''a%27%28b%29%2A.pdf`],
  ["\r\nx: y\ud800", `inline; filename="__x: y_"; filename*=UTF-8''%0D%0Ax%3A%20y%EF%BF%BD`],
])("the file name %j is safe in a header", (name, header) => {
  expect(contentDisposition(name)).toBe(header);
});

test("where others are redirected to the store, a page of this server gets the bytes: its policy names no other origin", async () => {
  const content = {
    contentType: "image/jpeg",
    fileName: "page.jpg",
    size: 20,
    etag: "tag",
    modifiedAt: 0,
    async *bytes() {
      yield sharedBytes;
    },
  };
  const away = await startFixture({
    shareDelivery: "redirect",
    openShare: async () => ({
      ...content,
      open: async () => content.bytes(),
      presign: async () => "https://store.example/x",
    }),
  });
  const statusFor = async (site: string): Promise<number> => {
    const headers = { "sec-fetch-site": site };
    const answer = await fetch(`${away.url}/v1/share/dsx_1?token=good`, { headers, redirect: "manual" });
    await answer.body?.cancel();
    return answer.status;
  };
  expect([await statusFor("same-origin"), await statusFor("cross-site")]).toEqual([200, 307]);
  await away.transport.close(0);
});
