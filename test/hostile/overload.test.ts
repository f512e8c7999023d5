import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultConcurrency } from "../../server/transport/limits/admission.ts";
import { type Fixture, fullKey, otherKey, startFixture } from "../../server/transport/testing/transport.ts";

let fixture: Fixture;
beforeAll(async () => {
  // Little room, so that it is full also where the clients are slow to come.
  fixture = await startFixture({ concurrency: { ...defaultConcurrency, other: 64 } });
});
afterAll(() => fixture.transport.close(0));

const status = async (path: string, key = fullKey): Promise<number> => {
  const response = await fetch(`${fixture.url}${path}`, { headers: { "x-api-key": key } });
  await response.arrayBuffer();
  return response.status;
};

test("a caller with more requests than its share is refused; others, health checks and later requests are answered", async () => {
  const flood = Promise.all(Array.from({ length: 600 }, () => status("/v1/jobs/slow")));
  const others = Array.from({ length: 10 }, () => Promise.all([status("/healthz"), status("/v1/jobs/slow", otherKey)]));
  expect(new Set((await Promise.all(others)).flat())).toEqual(new Set([200]));
  expect(new Set(await flood)).toEqual(new Set([200, 429]));
  expect(await status("/v1/jobs/slow")).toBe(200);
});

test("a client that opens streams only to reset them is cut off, and no other client", async () => {
  const session = http2.connect(fixture.url);
  session.on("error", () => undefined);
  await once(session, "connect");
  const isOver = (): boolean => session.closed || session.destroyed;
  const attack = (): void => {
    for (let times = 0; times < 200 && !isOver(); times++) {
      const stream = session.request({ ":path": "/v1/jobs/dsj_1", "x-api-key": fullKey });
      stream.on("error", () => undefined);
      stream.close(http2.constants.NGHTTP2_CANCEL);
    }
  };
  await expect
    .poll(
      async () => {
        attack();
        expect(await status("/v1/jobs/dsj_1")).toBe(200);
        return isOver();
      },
      { timeout: 20_000, interval: 5 },
    )
    .toBe(true);
}, 30_000);

/** Frames as bytes (RFC 9113, section 4.1). */
function frame(type: number, flags: number, streamId: number, payload = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

const opening = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0)]);

test.each([
  // HEADERS without END_HEADERS, then CONTINUATION without end: never a whole request.
  [
    "CONTINUATION",
    frame(1, 0, 1),
    frame(9, 0, 1, Buffer.concat([Buffer.from([0x00, 0x01, 0x61, 0x7f, 0x21]), Buffer.alloc(160, "b")])),
  ],
  // The acknowledgements pile up, because the client does not read them.
  ["SETTINGS", Buffer.alloc(0), frame(4, 0, 0)],
  ["PING", Buffer.alloc(0), frame(6, 0, 0, Buffer.alloc(8))],
])(
  "a flood of %s frames ends that connection and no other",
  async (_name, before, flood) => {
    const socket = net.connect(Number(new URL(fixture.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.pause();
    let isClosed = false;
    socket.once("close", () => (isClosed = true));
    socket.write(Buffer.concat([opening, before]));
    const many = Buffer.concat(Array.from({ length: 500 }, () => flood));
    await expect
      .poll(
        async () => {
          if (socket.writableLength < 2 ** 20) socket.write(many);
          expect(await status("/v1/jobs/dsj_1")).toBe(200);
          return isClosed;
        },
        { timeout: 20_000, interval: 5 },
      )
      .toBe(true);
  },
  30_000,
);
