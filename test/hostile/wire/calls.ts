import {
  type DescField,
  type DescMethod,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  toBinary,
} from "@bufbuild/protobuf";
import { rest } from "@drs/client/gen/drs/rest/v1/rest_pb";
import { http } from "@drs/client/gen/google/api/annotations_pb";
import type { HttpAnswer, HttpRequest } from "./http.ts";

export const protocols = ["REST", "Connect", "gRPC", "gRPC-Web"] as const;
export type Protocol = (typeof protocols)[number];

/** A call of a method: the JSON form of its messages; more than one only where the method takes a stream. */
export interface Call {
  readonly method: DescMethod;
  readonly messages: readonly JsonObject[];
  readonly key: string | undefined;
}

/** The name of a method as the cases have it. */
export const nameOf = (method: DescMethod): string => `${method.parent.name}/${method.name}`;

/** The bytes of a call, made from its descriptor alone, so that no method can be left out. */
export function encodeCall(protocol: Protocol, { method, messages, key }: Call): HttpRequest {
  const request = protocol === "REST" ? encodeRest(method, messages) : encodeRpc(protocol, method, messages);
  return key === undefined ? request : { ...request, headers: { ...request.headers, "x-api-key": key } };
}

/** `OK`, or the name of the error code, by what the protocol says where. */
export function codeOf(protocol: Protocol, { status, headers, trailers, body }: HttpAnswer): string {
  if (protocol === "gRPC") return grpcCode(trailers["grpc-status"] ?? headers["grpc-status"]);
  const text = body.toString("latin1");
  if (protocol === "gRPC-Web") {
    return grpcCode(headers["grpc-status"] ?? /grpc-status: *(\d+)/.exec(text)?.[1]);
  }
  // The last message of a Connect stream says how it ended; a whole answer is an object.
  const code = /"code": *"(\w+)"/.exec(text)?.[1];
  const isFailed = status >= 400 || headers["content-type"]?.startsWith("application/connect+") === true;
  return isFailed && code !== undefined ? code.toUpperCase() : status < 400 ? "OK" : `HTTP ${status}`;
}

/** The sentence of an error, as well as the protocol's wrapping allows. */
export function wordsOf({ headers, trailers, body }: HttpAnswer): string {
  const words = trailers["grpc-message"] ?? headers["grpc-message"] ?? body.toString();
  try {
    return decodeURIComponent(words);
  } catch {
    return words;
  }
}

function encodeRest(method: DescMethod, messages: readonly JsonObject[]): HttpRequest {
  const rule = getOption(method, http);
  const rules = getOption(method, rest);
  const { case: verb, value: template } = rule.pattern;
  if (typeof template !== "string" || verb === undefined) throw new Error(`${method.name} has no path`);
  const fields: Record<string, JsonValue> = Object.assign({}, ...messages);
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const { jsonName } = fieldOf(method, name);
    const value = String(fields[jsonName] ?? "");
    delete fields[jsonName];
    return encodeURIComponent(value);
  });
  const head = { version: 1, verb: verb.toUpperCase() } as const;
  if (rule.body === "") {
    const query = new URLSearchParams(
      Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    return { ...head, path: query === "" ? path : `${path}?${query}`, headers: {}, body: Buffer.alloc(0) };
  }
  if (rules.file !== "") return { ...head, path, ...encodeForm(fields, rules.file) };
  const body = Buffer.from(JSON.stringify(fields));
  return { ...head, path, headers: { "content-type": "application/json", ...lengthOf(body) }, body };
}

const boundary = "----hostile";

function encodeForm(fields: Record<string, JsonValue>, file: string): Pick<HttpRequest, "headers" | "body"> {
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    if (name === "fileName") return [];
    const isFile = name === file;
    const fileName = isFile ? `; filename="${String(fields["fileName"] ?? "part")}"` : "";
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${fileName}\r\n\r\n`;
    return [
      Buffer.from(head),
      isFile ? Buffer.from(String(value), "base64") : Buffer.from(String(value)),
      Buffer.from("\r\n"),
    ];
  });
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { headers: { "content-type": `multipart/form-data; boundary=${boundary}`, ...lengthOf(body) }, body };
}

function encodeRpc(
  protocol: Exclude<Protocol, "REST">,
  method: DescMethod,
  messages: readonly JsonObject[],
): HttpRequest {
  const path = `/${method.parent.typeName}/${method.name}`;
  const head = { verb: "POST", path } as const;
  if (protocol === "Connect") {
    const isUnary = method.methodKind === "unary";
    const jsons = messages.map((message) => Buffer.from(JSON.stringify(message)));
    const body = Buffer.concat(isUnary ? jsons : jsons.map((json) => envelope(json)));
    const type = isUnary ? "application/json" : "application/connect+json";
    const headers = { "content-type": type, "connect-protocol-version": "1", ...lengthOf(body) };
    return { version: 1, ...head, headers, body };
  }
  const body = Buffer.concat(
    messages.map((message) => envelope(toBinary(method.input, fromJson(method.input, message)))),
  );
  if (protocol === "gRPC-Web") {
    const headers = { "content-type": "application/grpc-web+proto", ...lengthOf(body) };
    return { version: 1, ...head, headers, body };
  }
  return { version: 2, ...head, headers: { "content-type": "application/grpc+proto", te: "trailers" }, body };
}

/** A message of a stream: a byte of flags, the length in four, the bytes. */
export function envelope(bytes: Uint8Array, { flags = 0, length = bytes.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

function fieldOf(method: DescMethod, name: string): DescField {
  const field = method.input.fields.find((candidate) => candidate.name === name);
  if (field === undefined) throw new Error(`${method.name} has no field ${name}`);
  return field;
}

const lengthOf = (body: Uint8Array): { "content-length": string } => ({ "content-length": String(body.length) });

const grpcCodes = [
  "OK",
  "CANCELED",
  "UNKNOWN",
  "INVALID_ARGUMENT",
  "DEADLINE_EXCEEDED",
  "NOT_FOUND",
  "ALREADY_EXISTS",
  "PERMISSION_DENIED",
  "RESOURCE_EXHAUSTED",
  "FAILED_PRECONDITION",
  "ABORTED",
  "OUT_OF_RANGE",
  "UNIMPLEMENTED",
  "INTERNAL",
  "UNAVAILABLE",
  "DATA_LOSS",
  "UNAUTHENTICATED",
];

const grpcCode = (status: string | undefined): string => grpcCodes[Number(status ?? "none")] ?? "no grpc-status";
