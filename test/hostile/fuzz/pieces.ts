import { gzipSync } from "node:zlib";
import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { hostileText } from "./values.ts";

export const noBody = Buffer.alloc(0);

/** Bytes that are no message, or only nearly one. */
export const bytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((values) => Buffer.from(values)),
  hostileText.map((text) => Buffer.from(text)),
  fc.constantFrom(
    noBody,
    Buffer.from("%PDF-1.7\n"),
    Buffer.from("PK\x03\x04"),
    Buffer.alloc(4096),
    Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
    Buffer.from("{".repeat(5_000)),
    Buffer.from("[".repeat(100_000)),
    gzipSync(Buffer.alloc(40 * 2 ** 20)),
    gzipSync("{}").subarray(0, 12),
  ),
);

/** JSON as text, with what no serializer writes: keys that come twice, prototypes, numbers beyond all bounds. */
export function jsonText(message: JsonObject): fc.Arbitrary<string> {
  const text = JSON.stringify(message);
  return fc.constantFrom(
    text,
    text,
    text,
    text.replace("{", '{"__proto__":{"id":"x","limit":1},'),
    text.replace("{", '{"constructor":{"prototype":{"limit":1}},'),
    text.replace(/^\{(.+)\}$/s, "{$1,$1}"),
    text.replaceAll(/\d+/g, "1e99999"),
    text.slice(0, -1),
    `\ufeff${text}`,
    `[${text}]`,
    `${text}${text}`,
    `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
  );
}

/** Headers that are wrong for what they stand with. */
export const oddHeaders: fc.Arbitrary<Record<string, string>> = fc
  .array(
    fc.constantFrom<readonly [string, string]>(
      ["accept", "text/plain;q=x,*/*;q=-1"],
      ["accept-encoding", "br;q=9, zstd, \u00ff"],
      ["content-encoding", "gzip"],
      ["content-encoding", "zstd"],
      ["content-type", "application/json; charset=utf-16"],
      ["content-type", "multipart/form-data"],
      ["content-type", `multipart/form-data; boundary=${"-".repeat(200)}`],
      ["content-type", "application/proto"],
      ["content-type", "application/grpc+json"],
      ["content-type", ";;;"],
      ["connect-protocol-version", "9"],
      ["connect-timeout-ms", "99999999999999999999"],
      ["connect-timeout-ms", "-1"],
      ["grpc-timeout", "1x"],
      ["grpc-timeout", "99999999999H"],
      ["grpc-encoding", "gzip"],
      ["grpc-encoding", "snappy"],
      ["grpc-accept-encoding", "\u00e9"],
      ["range", "bytes=0-0,1-1,2-2"],
      ["range", "bytes=-99999999999999999999"],
      ["if-none-match", 'W/"'.repeat(500)],
      ["if-modified-since", "Thu, 99 Foo 99999 99:99:99 GMT"],
      ["last-event-id", "-1"],
      ["last-event-id", "9".repeat(30)],
      ["x-request-id", "x".repeat(200)],
      ["x-request-id", "<script>"],
      ["authorization", "Bearer"],
      ["authorization", `Bearer ${"A".repeat(5_000)}`],
      ["x-api-key", "drs_\u00ff"],
      ["x-forwarded-for", "127.0.0.1"],
      ["x-http-method-override", "DELETE"],
      ["idempotency-key", "x".repeat(5_000)],
      ["origin", "null"],
      ["cookie", "a=b; ".repeat(500)],
      ["expect", "200-maybe"],
    ),
    { maxLength: 3 },
  )
  .map((pairs) => Object.fromEntries(pairs));

/** Parts of paths and values of queries. */
export const encoded: fc.Arbitrary<string> = fc.oneof(
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    "..",
    ".",
    "%2e%2e",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%5c..%5c",
    "%00",
    "%c0%ae%c0%ae",
    "%ff%fe",
    "%",
    "%zz",
    "%u0041",
    ";jsessionid=1",
    ":cancel",
    "ID:verb",
    "*",
    "a".repeat(6_000),
    "//",
    "%2f",
  ),
);

/** The query string of a path, `?` included. */
export const query: fc.Arbitrary<string> = fc.oneof(
  fc.constant(""),
  fc
    .array(
      fc.tuple(
        fc.constantFrom(
          "limit",
          "offset",
          "sort",
          "cols",
          "row",
          "expiresInSeconds",
          "statuses",
          "type",
          "sha256",
          "token",
          "id",
          "__proto__",
          "a[b]",
          "message",
          "encoding",
          "base64",
        ),
        encoded,
      ),
      { maxLength: 4 },
    )
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${value}`).join("&")}`),
  fc.constantFrom("?", "??", "?&&&", "?=", "?limit", `?${"a&".repeat(2_000)}`, "?limit[]=1", "?limit=1&limit=2"),
);

/** Most of them the one that is most often right. */
export const verbs = fc.constantFrom("GET", "GET", "GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE");
