import { once } from "node:events";
import net from "node:net";
import fc from "fast-check";

const request = (line: string, ...headers: string[]): string => `${[line, "host: x", ...headers].join("\r\n")}\r\n\r\n`;

/** Requests whose length, framing or characters no client library would send. */
const broken: readonly string[] = [
  request("GET / HTTP/1.1", "content-length: 5"),
  request("POST /v1/search HTTP/1.1", "content-length: 100") + "{}",
  request("POST /v1/search HTTP/1.1", "content-length: -1") + "{}",
  request("POST /v1/search HTTP/1.1", "content-length: 99999999999999999999") + "{}",
  request("POST /v1/search HTTP/1.1", "content-length: 2", "content-length: 3") + "{}",
  request("POST /v1/search HTTP/1.1", "content-length: 2", "transfer-encoding: chunked") + "0\r\n\r\n",
  request("POST /v1/search HTTP/1.1", "transfer-encoding: chunked") + "zz\r\n{}\r\n0\r\n\r\n",
  request("POST /v1/search HTTP/1.1", "transfer-encoding: chunked") + "ffffffffffffffff\r\n{}",
  request("POST /v1/search HTTP/1.1", "transfer-encoding: chunked, identity") + "{}",
  request("POST /v1/extract HTTP/1.1", "content-type: multipart/form-data; boundary=b", "content-length: 20") +
    "--b\r\n",
  request("GET /v1/datasets HTTP/9.9"),
  request("GET /v1/datasets HTTP/1.0", "connection: keep-alive"),
  request("GET http://169.254.169.254/latest HTTP/1.1"),
  request("CONNECT 127.0.0.1:22 HTTP/1.1"),
  request("GET * HTTP/1.1"),
  request("OPTIONS * HTTP/1.1"),
  request("GET /v1/datasets HTTP/1.1", "upgrade: h2c", "connection: upgrade, http2-settings", "http2-settings: AAA"),
  request("GET /v1/datasets HTTP/1.1", "upgrade: websocket", "connection: upgrade"),
  request("GET /v1/datasets HTTP/1.1", "expect: 100-continue"),
  request("GET /v1/\u0000 HTTP/1.1"),
  request("GET /v1/datasets HTTP/1.1", `x-long: ${"y".repeat(20_000)}`),
  request("GET /v1/datasets HTTP/1.1", ...Array.from({ length: 2_500 }, (_, index) => `x-${index}: y`)),
  request("GET /v1/datasets HTTP/1.1", "x-bad\u0000: y"),
  request("GET /v1/datasets HTTP/1.1", " folded: y"),
  `GET /v1/datasets HTTP/1.1\r\n\r\n`,
  `GET /drs.v1.JobService/ListJobs HTTP/1.1\r\nhost: [bad\r\n\r\n`,
  `POST /drs.v1.JobService/ListJobs HTTP/1.1\r\nhost: a b\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
  `POST /drs.v1.JobService/ListJobs HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
  "GET /v1/datasets",
  "\r\n\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n",
  "PR",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "SSH-2.0-OpenSSH_9.9\r\n",
];

/** An HTTP/2 frame (RFC 9113, section 4.1). */
const frame: fc.Arbitrary<Buffer> = fc
  .tuple(fc.nat(12), fc.nat(255), fc.nat(9), fc.uint8Array({ maxLength: 60 }), fc.boolean())
  .map(([type, flags, stream, payload, isHonest]) => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(isHonest ? payload.length : 16_384, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(stream, 5);
    return Buffer.concat([head, payload]);
  });

const preface = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

/** Bytes to write to a socket, from almost valid requests to noise. */
export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc.constantFrom(...broken).map((text) => Buffer.from(text, "latin1")),
  fc.tuple(fc.constantFrom(...broken), fc.nat(400), fc.nat(255)).map(([text, at, value]) => {
    const changed = Buffer.from(text, "latin1");
    if (at < changed.length) changed[at] = value;
    return changed;
  }),
  fc
    .tuple(fc.constantFrom(...broken), fc.nat(400))
    .map(([text, length]) => Buffer.from(text.slice(0, length), "latin1")),
  fc.array(frame, { minLength: 1, maxLength: 6 }).map((frames) => Buffer.concat([preface, ...frames])),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((values) => Buffer.from(values)),
);

/** Writes the bytes, says that nothing follows, and gives back what comes until the server closes, as Latin-1. */
export async function sendBytes(url: string, bytes: Buffer, limitMs: number): Promise<string> {
  const { hostname, port } = new URL(url);
  const signal = AbortSignal.timeout(limitMs);
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const pieces: Buffer[] = [];
  socket.on("data", (piece: Buffer) => pieces.push(piece));
  // A reset is as good an end as any.
  socket.on("error", () => undefined);
  try {
    const closed = once(socket, "close", { signal });
    socket.end(bytes);
    await closed;
    return Buffer.concat(pieces).toString("latin1");
  } finally {
    socket.destroy();
  }
}
