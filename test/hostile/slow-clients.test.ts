import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Fixture, fullKey, openBodies, startFixture } from "../../server/transport/testing/transport.ts";

/** The real rules with lower limits, so that the test does not take minutes. */
const slowClientLimits = {
  headersMs: 1_500,
  minBytesPerSecond: 1024,
  bodyWindowMs: 1_000,
  answerWindowMs: 1_500,
  tickMs: 100,
};
const each = 50;
const port = (): number => Number(new URL(fixture.url).port);

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ slowClientLimits });
});
afterAll(() => fixture.transport.close(0));

const head = [
  "POST /v1/extract HTTP/1.1",
  "Host: drs",
  `X-Api-Key: ${fullKey}`,
  "Content-Type: multipart/form-data; boundary=b",
  "Content-Length: 1000000",
].join("\r\n");
const fileHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="slow.pdf"\r\n\r\n';

/** Not `once`, for which an error on the way is the end. */
function closed(stream: net.Socket | http2.ClientHttp2Stream): Promise<unknown> {
  return new Promise((resolve) => stream.once("close", resolve));
}

/** Sends a beginning and then a byte every 200 ms until it is cut off; what it was answered. */
async function trickle(beginning: string): Promise<string> {
  const socket = net.connect(port(), "127.0.0.1");
  socket.on("error", () => undefined);
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(beginning);
  const dripping = setInterval(() => socket.write("x"), 200);
  await closed(socket);
  clearInterval(dripping);
  return answer;
}

/** Asks for an endless body and reads nothing of it. */
async function neverRead(): Promise<void> {
  const socket = net.connect(port(), "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("GET /v1/share/endless?token=good HTTP/1.1\r\nHost: drs\r\n\r\n");
  socket.pause();
  // A paused socket does not see that it is cut off: it notices by writing.
  const probing = setInterval(() => socket.write("\r\n"), 200);
  await closed(socket);
  clearInterval(probing);
}

/** A body over HTTP/2 that stalls; how its stream ended. */
async function trickleStream(session: http2.ClientHttp2Session): Promise<number> {
  const stream = session.request({
    ":method": "POST",
    ":path": "/v1/extract",
    "x-api-key": fullKey,
    "content-type": "multipart/form-data; boundary=b",
  });
  stream.on("error", () => undefined);
  stream.write(fileHead);
  const dripping = setInterval(() => stream.write("x"), 200);
  let status = 0;
  stream.once("response", (headers) => (status = Number(headers[":status"])));
  stream.resume();
  // Its own side is open as far as Node is concerned, so it does not close.
  await new Promise((resolve) => stream.once("end", resolve));
  clearInterval(dripping);
  stream.destroy();
  return status;
}

async function neverReadStream(session: http2.ClientHttp2Session): Promise<void> {
  const stream = session.request({ ":path": "/v1/share/endless?token=good" });
  stream.on("error", () => undefined);
  stream.pause();
  await closed(stream);
}

test(`${5 * each} slow clients are cut off, and others are served meanwhile`, async () => {
  // Apart, because what is not read stands in the way of the other streams of its connection.
  const [sending, reading] = [http2.connect(fixture.url), http2.connect(fixture.url)];
  for (const session of [sending, reading]) session.on("error", () => undefined);
  const many = <Value>(begin: () => Promise<Value>): Promise<Value[]> =>
    Promise.all(Array.from({ length: each }, () => begin()));
  const slow = Promise.all([
    many(() => trickle("GET /v1/jobs HTTP/1.1\r\nHost: drs\r\nX-Slow: ")),
    many(() => trickle(`${head}\r\n\r\n${fileHead}`)),
    many(neverRead),
    many(() => trickleStream(sending)),
    many(() => neverReadStream(reading)),
  ]);
  const over = new AbortController();
  void slow.finally(() => over.abort());
  while (!over.signal.aborted) {
    const response = await fetch(`${fixture.url}/v1/jobs/dsj_1`, { headers: { "x-api-key": fullKey } });
    expect(response.status).toBe(200);
    await response.json();
    await sleep(20);
  }
  const [headers, bodies, , streams] = await slow;
  for (const answer of headers) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  for (const answer of bodies) expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*comes too slowly/);
  expect(new Set(streams)).toEqual(new Set([408]));
  await expect.poll(() => openBodies.count).toBe(0);
  await expect.poll(() => fixture.seen.broken).toHaveLength(2 * each);
  expect(fixture.seen.uploads).toEqual([]);
  for (const session of [sending, reading]) session.close();
}, 60_000);

describe("slow clients within the limits", () => {
  test("an upload above the minimum rate is accepted, however long it lasts", async () => {
    const end = "\r\n--b--\r\n";
    const pieces = 12;
    const piece = "y".repeat(1024);
    const socket = net.connect(port(), "127.0.0.1");
    const length = fileHead.length + pieces * piece.length + end.length;
    socket.write(`${head.replace("1000000", String(length))}\r\nConnection: close\r\n\r\n${fileHead}`);
    for (let sent = 0; sent < pieces; sent++) {
      await sleep(300);
      socket.write(piece);
    }
    socket.write(end);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
  });

  test("an answer that takes long is waited for", async () => {
    const socket = net.connect(port(), "127.0.0.1");
    socket.write(`GET /v1/jobs/endless/watch HTTP/1.1\r\nHost: drs\r\nX-Api-Key: ${fullKey}\r\n\r\n`);
    let isClosed = false;
    socket.once("close", () => (isClosed = true));
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    await sleep(2 * slowClientLimits.answerWindowMs);
    expect(answer).toContain("data: ");
    expect(isClosed).toBe(false);
    socket.destroy();
  });
});
