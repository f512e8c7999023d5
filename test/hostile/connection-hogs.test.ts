import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Fixture, fullKey, otherKey, startFixture } from "../../server/transport/testing/transport.ts";
import { defaultSlowClientLimits } from "../../server/transport/limits/pace.ts";

/** One client holds as many requests as it can get; others are served as before. */
let fixture: Fixture;
let open: (net.Socket | http2.ClientHttp2Session)[];
beforeEach(async () => {
  open = [];
  // Clients on loopback stand for clients of as many networks as they have addresses.
  fixture = await startFixture({
    countedNetwork: (address) => (address === "127.0.0.1" ? undefined : address),
    // Connections that say nothing stay as long as the test lasts, also on a busy machine.
    slowClientLimits: { ...defaultSlowClientLimits, headersMs: 120_000 },
  });
});
afterEach(async () => {
  for (const connection of open) connection.destroy();
  await fixture.transport.close(0);
});

/** Thousands of connections take a busy machine a while. */
const settled = { timeout: 30_000 };

/** Sends a request and takes nothing of its answer but the head. */
async function hold(request: string, localAddress = "127.0.0.1"): Promise<string> {
  const socket = net.connect({ port: Number(new URL(fixture.url).port), host: "127.0.0.1", localAddress });
  open.push(socket);
  socket.on("error", () => undefined);
  socket.write(request);
  const [head] = await once(socket, "data");
  socket.pause();
  return String(head);
}

const many = <Value>(count: number, begin: (index: number) => Promise<Value>): Promise<Value[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => begin(index)));

function statusesOf(heads: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const head of heads) {
    const status = head.slice("HTTP/1.1 ".length).slice(0, 3);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

async function refusals(): Promise<string[]> {
  const text = await (await fetch(`${fixture.url}/metrics`)).text();
  return text.split("\n").filter((line) => line.startsWith("drs_refusals_total{"));
}

const read = (link: string): string => `GET /v1/share/${link}?token=good HTTP/1.1\r\nHost: drs\r\n\r\n`;
const readLink = async (link: string): Promise<number> => {
  const response = await fetch(`${fixture.url}/v1/share/${link}?token=good`);
  await response.arrayBuffer();
  return response.status;
};

describe("links", () => {
  test("512 readers of one link that take nothing leave room for the readers of others", async () => {
    const heads = await many(512, () => hold(read("endless")));
    expect(statusesOf(heads)).toEqual({ 200: 256, 429: 256 });
    for (const head of heads.filter((each) => each.startsWith("HTTP/1.1 429"))) {
      expect(head).toMatch(/retry-after: 2\r\n/i);
      expect(head).toContain(
        "this link has 256 downloads in progress, its share of what the server can do at the moment",
      );
    }
    const others = await many(200, (index) => readLink(`link-${index}`));
    expect(new Set(others)).toEqual(new Set([200]));
    expect(await refusals()).toEqual(['drs_refusals_total{kind="share",dimension="link"} 256']);
  });

  test("nor do readers of many links, from one address", async () => {
    const heads = await many(512, (index) => hold(read(`endless-${index}`), "127.0.0.2"));
    expect(statusesOf(heads)).toEqual({ 200: 384, 429: 128 });
    expect(heads.at(-1)).toContain("your network address has 384 downloads in progress");
    const others = await many(100, (index) => readLink(`link-${index}`));
    expect(new Set(others)).toEqual(new Set([200]));
  });

  test("wrong tokens take no room from the readers of a link", async () => {
    const wrong = (index: number): Promise<string> =>
      hold(`GET /v1/share/page?token=wrong-${index} HTTP/1.1\r\nHost: drs\r\n\r\n`);
    expect(statusesOf(await many(400, wrong))).toEqual({ 403: 400 });
    expect(new Set(await many(100, () => readLink("page")))).toEqual(new Set([200]));
  });
});

/** The head of a body that never comes. */
const begun = (path: string, type: string, beginning: string): string =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: drs",
    `X-Api-Key: ${fullKey}`,
    `Content-Type: ${type}`,
    "Content-Length: 1000000",
    "",
    beginning,
  ].join("\r\n");

/** Begins requests whose bodies never come, until some are refused; how many were. */
async function beginMany(count: number, request: string): Promise<string[]> {
  const refused: string[] = [];
  for (let times = 0; times < count; times++) void hold(request).then((head) => refused.push(head));
  const kept = count / 2;
  await expect.poll(() => refused.length, settled).toBe(count - kept);
  return refused;
}

async function upload(key: string): Promise<Response> {
  const body = new FormData();
  body.set("file", new Blob(["x"]), "a.pdf");
  return fetch(`${fixture.url}/v1/extract`, { method: "POST", headers: { "x-api-key": key }, body });
}

test("256 stalled uploads of one key leave room for the uploads of others", async () => {
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n';
  const refused = await beginMany(256, begun("/v1/extract", "multipart/form-data; boundary=b", form));
  expect(statusesOf(refused)).toEqual({ 429: 128 });
  expect(refused[0]).toContain("your API key or membership has 128 uploads in progress");
  const others = await many(50, async () => (await upload(otherKey)).status);
  expect(new Set(others)).toEqual(new Set([200]));
  const own = await upload(fullKey);
  expect([own.status, own.headers.get("retry-after")]).toEqual([429, "2"]);
});

test("64 stalled searches of one key leave room for the searches of others", async () => {
  const refused = await beginMany(64, begun("/v1/search", "application/json", '{"query":'));
  expect(statusesOf(refused)).toEqual({ 429: 32 });
  const search = async (): Promise<number> => {
    const response = await fetch(`${fixture.url}/v1/search`, {
      method: "POST",
      headers: { "x-api-key": otherKey, "content-type": "application/json" },
      body: JSON.stringify({ query: { text: "heating" } }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  expect(new Set(await many(15, search))).toEqual(new Set([200]));
});

test("2,048 watches of one key leave room for the watches of others", async () => {
  const watch = (session: http2.ClientHttp2Session, key: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ":path": "/v1/jobs/endless/watch", "x-api-key": key });
      stream.on("error", reject).once("response", (headers) => resolve(Number(headers[":status"])));
    });
  const sessions = Array.from({ length: 16 }, () => http2.connect(fixture.url));
  open.push(...sessions);
  const statuses = (await Promise.all(sessions.map((session) => many(128, () => watch(session, fullKey))))).flat();
  expect(statuses.filter((status) => status === 200)).toHaveLength(1024);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1024);
  const other = http2.connect(fixture.url);
  open.push(other);
  expect(new Set(await many(200, () => watch(other, otherKey)))).toEqual(new Set([200]));
}, 60_000);

test("4,096 connections of one address leave room for those of others", async () => {
  const port = Number(new URL(fixture.url).port);
  let refused = 0;
  // A few at a time: the system holds some hundred that are yet to be accepted.
  for (let group = 0; group < 32; group++) {
    await many(128, () => {
      const socket = net.connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
      open.push(socket);
      socket.on("error", () => undefined).once("close", () => (refused += 1));
      return once(socket.resume(), "connect");
    });
  }
  await expect.poll(() => refused, settled).toBe(1_024);
  expect(new Set(await many(200, () => readLink("page")))).toEqual(new Set([200]));
  expect(await refusals()).toEqual(['drs_refusals_total{kind="connection",dimension="address"} 1024']);
}, 60_000);
