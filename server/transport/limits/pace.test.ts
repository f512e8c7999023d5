import http2 from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Fixture, openBodies, startFixture } from "../testing/transport.ts";

/** Fast enough for a test; even a client that is too slow takes a piece of 64 KB within a window. */
const slowClientLimits = {
  headersMs: 20_000,
  minBytesPerSecond: 128 * 1024,
  bodyWindowMs: 30_000,
  answerWindowMs: 2_000,
  tickMs: 100,
};

let fixture: Fixture;
let session: http2.ClientHttp2Session;
beforeEach(async () => {
  fixture = await startFixture({ slowClientLimits });
  session = http2.connect(fixture.url);
  session.on("error", () => undefined);
});
afterEach(async () => {
  session.destroy();
  await fixture.transport.close(0);
});

/**
 * Requests an endless body and reads so many bytes of it ten times a second; ends when it is cut off or the time is
 * over.
 */
async function take(bytes: number, ms: number): Promise<"cut" | "read on"> {
  const stream = session.request({ ":path": "/v1/share/endless?token=good" });
  stream.on("error", () => undefined).pause();
  for (const until = performance.now() + ms; performance.now() < until && !stream.closed; await sleep(100)) {
    for (let left = bytes; left > 0;) {
      const chunk: Buffer | null = stream.read(Math.min(left, stream.readableLength));
      if (chunk === null || chunk.length === 0) break;
      left -= chunk.length;
    }
  }
  const isCut = stream.closed;
  stream.destroy();
  return isCut ? "cut" : "read on";
}

const cuts = async (): Promise<string | undefined> =>
  /^drs_slow_clients_total\{what="answer"\} .*$/m.exec(await (await fetch(`${fixture.url}/metrics`)).text())?.[0];

test("an answer that is read without pause, but too slowly, is cut off and counted", async () => {
  expect(await take(4_000, 30_000)).toBe("cut");
  await expect.poll(() => openBodies.count).toBe(0);
  expect(await cuts()).toBe('drs_slow_clients_total{what="answer"} 1');
}, 40_000);

test("an answer that is read above the minimum rate is not, however long it lasts", async () => {
  expect(await take(100_000, 4 * slowClientLimits.answerWindowMs)).toBe("read on");
  expect(await cuts()).toBeUndefined();
}, 20_000);
