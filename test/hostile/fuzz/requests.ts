import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { rest } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { http } from "@drs/client/gen/google/api/annotations_pb";
import { services } from "../../../server/transport/services/index.ts";
import fc from "fast-check";
import { envelope } from "../wire/calls.ts";
import type { HttpRequest } from "../wire/http.ts";
import { bytes, encoded, jsonText, noBody, oddHeaders, query, verbs } from "./pieces.ts";
import { hostileMessage, hostileText } from "./values.ts";

const methods = services.flatMap((service) => service.methods);
const anyMethod = fc.constantFrom(...methods);
const boundary = "fuzz";

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
