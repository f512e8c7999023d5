import { gzipSync } from "node:zlib";
import { type DescMethod, getOption, type JsonObject } from "@bufbuild/protobuf";
import { rest } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { http } from "@drs/client/gen/google/api/annotations_pb";
import { services } from "@drs/server/transport/services/index";
import fc from "fast-check";
import { envelope } from "../wire/calls.ts";
import type { HttpRequest } from "../wire/http.ts";
import { hostileMessage, hostileText } from "./values.ts";

const methods = services.flatMap((service) => service.methods);
const anyMethod = fc.constantFrom(...methods);
const noBody = Buffer.alloc(0);
const boundary = "fuzz";

/** Bytes that are no message, or only nearly one. */
const bytes: fc.Arbitrary<Buffer> = fc.oneof(
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
function jsonText(message: JsonObject): fc.Arbitrary<string> {
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
const oddHeaders: fc.Arbitrary<Record<string, string>> = fc
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

const encoded: fc.Arbitrary<string> = fc.oneof(
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

const query: fc.Arbitrary<string> = fc.oneof(
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

const verbs = fc.constantFrom("GET", "GET", "GET", "POST", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE");

/** A REST call with a hostile message, as query or body. */
const restCall: fc.Arbitrary<HttpRequest> = anyMethod.chain((method) => {
  const rule = getOption(method, http);
  const path = fc
    .tuple(encoded, query)
    .map(([id, asked]) => `${String(rule.pattern.value).replace(/\{\w+\}/g, id)}${asked}`);
  const verb = String(rule.pattern.case).toUpperCase();
  const json = hostileMessage(method.input).chain(jsonText);
  const body = rule.body === "" ? fc.constant("") : json;
  return fc
    .tuple(path, body, oddHeaders, fc.integer({ min: 0, max: 9 }), verbs)
    .map(([target, text, odd, roll, other]) => ({
      version: 1 as const,
      verb: roll === 0 ? other : verb,
      path: target,
      headers: { ...(text !== "" && { "content-type": "application/json" }), ...(roll < 3 && odd) },
      body: Buffer.from(text),
    }));
});

/** A form, whole or broken. */
const form: fc.Arbitrary<HttpRequest> = anyMethod.chain((method) => {
  const rule = getOption(method, http);
  const { file } = getOption(method, rest);
  const section = fc.oneof(
    fc
      .tuple(fc.constantFrom(...method.input.fields.map(({ jsonName }) => jsonName), "x", ""), hostileText)
      .map(([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    fc
      .tuple(hostileText, bytes)
      .map(
        ([name, content]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${file || "file"}"; filename="${name.slice(0, 300)}"\r\n\r\n${content.toString("latin1")}\r\n`,
      ),
    fc.constantFrom(
      `--${boundary}\r\n\r\n\r\n`,
      `--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx\r\n`,
      `--${boundary}\r\n${"x: y\r\n".repeat(100)}\r\n`,
      `--${boundary}\r\n${"z".repeat(20_000)}\r\n\r\n`,
      `--${boundary}x\r\n`,
      `--${boundary}--`,
      `\r\n--${boundary}\n\n`,
      `--${boundary}\r\ncontent-disposition: form-data; name="a"; filename*=utf-8''%ff%\r\n\r\n\r\n`,
      `--${boundary}\r\ncontent-disposition: form-data; name="url"\r\ncontent-type: text/plain; charset=klingon\r\n\r\nx\r\n`,
    ),
  );
  return fc
    .tuple(fc.array(section, { maxLength: 5 }), encoded, fc.integer({ min: 0, max: 9 }))
    .map(([sections, id, roll]) => {
      const whole = Buffer.from(`${sections.join("")}--${boundary}--\r\n`, roll < 5 ? "utf8" : "latin1");
      const body = roll < 2 ? whole.subarray(0, Math.floor((whole.length * (roll + 1)) / 3)) : whole;
      return {
        version: 1 as const,
        verb: "POST",
        path: String(rule.pattern.value).replace(/\{\w+\}/g, id),
        headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        body,
      };
    });
});

const pathOf = (method: DescMethod): string => `/${method.parent.typeName}/${method.name}`;

/** A Connect, gRPC or gRPC-Web call, its frames right or not. */
const rpcCall: fc.Arbitrary<HttpRequest> = anyMethod.chain((method) => {
  const message = fc.oneof(
    hostileMessage(method.input)
      .chain(jsonText)
      .map((text) => Buffer.from(text)),
    bytes,
  );
  const frame = fc
    .tuple(
      message,
      fc.constantFrom(0, 0, 0, 1, 2, 3, 0x80, 0xff),
      fc.constantFrom("right", "right", "right", "short", "long", "vast"),
    )
    .map(([body, flags, kind]) => {
      const lengths = {
        right: body.length,
        short: Math.floor(body.length / 2),
        long: body.length + 7,
        vast: 2 ** 32 - 1,
      };
      return envelope(body, { flags, length: lengths[kind] });
    });
  const types = fc.constantFrom(
    "application/json",
    "application/proto",
    "application/connect+json",
    "application/connect+proto",
    "application/grpc",
    "application/grpc+proto",
    "application/grpc+json",
    "application/grpc-web",
    "application/grpc-web+proto",
    "application/grpc-web+json",
    "application/grpc-web-text",
  );
  return fc
    .tuple(types, message, fc.array(frame, { maxLength: 3 }), oddHeaders, fc.integer({ min: 0, max: 9 }), query)
    .map(([type, single, frames, odd, roll, asked]) => {
      const isUnary = type === "application/json" || type === "application/proto";
      const isGet = roll === 9;
      return {
        // gRPC needs HTTP/2; the others take both.
        version:
          type.startsWith("application/grpc") && !type.startsWith("application/grpc-web") ? (2 as const) : (1 as const),
        verb: isGet ? "GET" : "POST",
        path: `${pathOf(method)}${isGet ? asked : ""}`,
        headers: {
          ...(!isGet && { "content-type": type }),
          ...(type.startsWith("application/grpc") && { te: "trailers" }),
          ...(roll < 2 && odd),
        },
        body: isGet ? noBody : isUnary ? single : Buffer.concat(frames),
      };
    });
});

/** Paths of every kind over HTTP/2, which lets through what HTTP/1.1 parsers refuse. */
const oddPath: fc.Arbitrary<HttpRequest> = fc
  .tuple(
    fc.constantFrom(
      "/",
      "/v1/",
      "/v1/datasets/",
      "/v1/share/",
      "/v1/jobs/",
      "/docs/",
      "/docs/../",
      "/v1/upload-session/",
      "/metrics/",
      "//",
      "",
      "/drs.v1.JobService/",
      "/grpc.health.v1.Health/",
    ),
    fc.oneof(
      encoded,
      fc.constantFrom("__proto__", "constructor", "toString", "swagger-ui.css/../x", "watch", "\u0001", "a b"),
    ),
    query,
    verbs,
    oddHeaders,
  )
  .map(([start, end, asked, verb, headers]) => ({
    version: 2 as const,
    // Node's own client does not send these over HTTP/2.
    verb: verb === "TRACE" ? "GET" : verb,
    path: `${start}${end}${asked}`,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "expect")),
    body: noBody,
  }));

/** A request of any kind that is wrong in some way, or not at all. */
export const hostileRequest: fc.Arbitrary<HttpRequest> = fc.oneof(
  { weight: 4, arbitrary: restCall },
  { weight: 2, arbitrary: form },
  { weight: 4, arbitrary: rpcCall },
  { weight: 2, arbitrary: oddPath },
);
