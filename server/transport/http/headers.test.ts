import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fixture, fullKey, readKey, startFixture } from "../testing/transport.ts";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.transport.close(0));

function expectSafe(header: (name: string) => string | null | undefined): void {
  expect(header("x-content-type-options")).toBe("nosniff");
  expect(header("referrer-policy")).toBe("no-referrer");
  expect(header("content-security-policy")).toMatch(/default-src 'none'/);
  expect(header("cross-origin-resource-policy")).toBe("cross-origin");
  expect(header("x-request-id")).toMatch(/^req_/);
}

const key = { "x-api-key": fullKey };
const json = { ...key, "content-type": "application/json" };
const jobMethod = "/drs.v1.JobService/GetJob";

/** Requests for one answer of every kind. */
const answers: readonly [what: string, status: number, path: string, init?: RequestInit][] = [
  ["health", 200, "/healthz"],
  ["readiness", 200, "/readyz"],
  ["metrics", 200, "/metrics"],
  ["a redirection", 302, "/", { redirect: "manual" }],
  ["the reference page", 200, "/docs"],
  ["a script of the reference page", 200, "/docs/swagger-ui-bundle.js"],
  ["the description", 200, "/v1/openapi.json"],
  ["a preflight", 204, "/v1/jobs", { method: "OPTIONS" }],
  ["a single thing", 200, "/v1/jobs/dsj_1", { headers: key }],
  ["a stream of events", 200, "/v1/jobs/dsj_1/watch", { headers: key }],
  ["a share", 200, "/v1/share/page?token=good"],
  ["a part of a share", 206, "/v1/share/page?token=good", { headers: { range: "bytes=2-5" } }],
  ["a part that there is not", 416, "/v1/share/page?token=good", { headers: { range: "bytes=900-" } }],
  ["a share that has not changed", 304, "/v1/share/page?token=good", { headers: { "if-none-match": '"tag"' } }],
  ["a share with other conditions", 412, "/v1/share/page?token=good", { headers: { "if-match": '"other"' } }],
  ["a share with a wrong token", 403, "/v1/share/page?token=bad"],
  ["no path", 404, "/nowhere"],
  ["no path of the API", 404, "/v1/nowhere", { headers: key }],
  ["no such thing", 404, "/v1/jobs/missing", { headers: key }],
  ["another verb", 405, "/v1/jobs", { method: "PUT", headers: key }],
  ["another verb for a health check", 405, "/healthz", { method: "POST" }],
  ["another type", 406, "/v1/jobs", { headers: { ...key, accept: "text/html" } }],
  ["no key", 401, "/v1/jobs"],
  ["a key that may not", 403, "/v1/datasets/ds_1", { method: "DELETE", headers: { "x-api-key": readKey } }],
  ["broken JSON", 400, "/v1/search", { method: "POST", headers: json, body: "{" }],
  [
    "a body of another type",
    415,
    "/v1/search",
    { method: "POST", headers: { ...key, "content-type": "a/b" }, body: "x" },
  ],
  ["a conflict", 409, "/v1/jobs/conflict", { headers: key }],
  ["a bug", 500, "/v1/jobs/bug", { headers: key }],
  ["a call over Connect", 200, jobMethod, { method: "POST", headers: json, body: '{"id":"dsj_1"}' }],
  ["a call over Connect that fails", 404, jobMethod, { method: "POST", headers: json, body: '{"id":"missing"}' }],
  [
    "a call over Connect without a key",
    401,
    jobMethod,
    { method: "POST", headers: { "content-type": "application/json" }, body: "{}" },
  ],
  [
    "a call over Connect of another type",
    415,
    jobMethod,
    { method: "POST", headers: { ...key, "content-type": "a/b" }, body: "x" },
  ],
];

test.each(answers)("%s (%i) has the headers of every answer", async (_what, status, path, init) => {
  const response = await fetch(`${fixture.url}${path}`, init);
  await response.arrayBuffer();
  expect(response.status).toBe(status);
  expectSafe((name) => response.headers.get(name));
});

test.each([
  ["what is not HTTP", 400, "hello\r\n\r\n"],
  ["a request without a host", 400, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["headers that are too long", 431, `GET / HTTP/1.1\r\nHost: x\r\nLong: ${"x".repeat(20_000)}\r\n\r\n`],
  ["an address that is too long", 431, `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ["a length that is none", 400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n"],
  ["an unknown expectation", 404, "GET /a HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n"],
])("%s (%i) has them as well, and a sentence", async (_what, status, bytes) => {
  const socket = net.connect(Number(new URL(fixture.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  socket.write(bytes);
  await new Promise((resolve) => socket.once("close", resolve));
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expectSafe((name) => new RegExp(`^${name}: (.*?)\\r$`, "im").exec(text)?.[1]);
  expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4))).toEqual({
    success: false,
    error: expect.stringMatching(/\w+ \w+/),
    code: expect.stringMatching(/^[A-Z_]+$/),
    reason: expect.stringMatching(/^[A-Z_]+$/),
  });
});

test("an address may be no longer over HTTP/2 than over HTTP/1.1", async () => {
  const session = http2.connect(fixture.url);
  const stream = session.request({ ":path": `/${"x".repeat(20_000)}` });
  const [headers] = await once(stream, "response");
  expect(headers[":status"]).toBe(414);
  expectSafe((name) => headers[name]);
  session.destroy();
});
