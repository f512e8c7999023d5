import { Code } from "@connectrpc/connect";
import type { RequestEnd } from "../../domain/ports/tracing.ts";
import { codeName } from "../errors.ts";
import type { Exchange, RequestRecord } from "./exchange.ts";

/**
 * The name and attributes of a request's span, by OpenTelemetry's conventions for HTTP and RPC servers. They contain no
 * paths, queries, headers and addresses, which hold ids of links, tokens, keys and personal data.
 */
export function requestEnd({ request, response, record }: Exchange): RequestEnd {
  const verb = verbOf(request.method);
  const { protocol, method, route, caller, id } = record;
  const code = record.code ?? "OK";
  return {
    name: protocol === "rest" || protocol === "http" ? [verb, route].join(" ").trim() : method,
    attributes: {
      "http.request.method": verb,
      "http.response.status_code": response.statusCode,
      "network.protocol.name": "http",
      "network.protocol.version": request.httpVersion,
      "drs.request.id": id,
      "drs.method": method,
      ...(route !== undefined && { "http.route": route }),
      ...(caller !== undefined && { "drs.workspace.id": caller.workspaceId }),
      ...rpcAttributes(record, code),
      ...(code !== "OK" && { "error.type": code }),
    },
    isFault: faults.has(code),
  };
}

/** The methods of HTTP. All others are reported as one, since a client may invent methods over HTTP/2. */
const verbs = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"]);
const verbOf = (method = ""): string => (verbs.has(method) ? method : "_OTHER");

/** The codes that the conventions treat as errors of the server. */
const faults = new Set(
  [Code.Unknown, Code.DeadlineExceeded, Code.Unimplemented, Code.Internal, Code.Unavailable, Code.DataLoss].map(
    codeName,
  ),
);

const numbers = new Map([
  ["OK", 0],
  ...Object.values(Code).flatMap((code): [string, number][] =>
    typeof code === "number" ? [[codeName(code), code]] : [],
  ),
]);

function rpcAttributes({ protocol, method }: RequestRecord, code: string): Record<string, string | number> {
  const [service, name] = method.split("/");
  if (service === undefined || name === undefined) return {};
  const called = { "rpc.service": service, "rpc.method": name };
  switch (protocol) {
    case "grpc":
    case "grpc-web":
      return { "rpc.system": "grpc", ...called, "rpc.grpc.status_code": numbers.get(code) ?? Code.Unknown };
    case "connect":
      return {
        "rpc.system": "connect_rpc",
        ...called,
        ...(code !== "OK" && { "rpc.connect_rpc.error_code": code.toLowerCase() }),
      };
    default:
      return {};
  }
}

/** Logged at the level debug: probes come every few seconds, and commands ask at each connection. */
const quiet = new Set(["GET /healthz", "GET /readyz", "GET /metrics", "GET /identity"]);

/** Writes the one log line of a request, without query and headers, which hold tokens and keys. */
export function logRequest({ record, response, signal }: Exchange, ms: number): void {
  const { method, protocol, caller } = record;
  if (signal.aborted) record.code ??= codeName(Code.Canceled);
  const fields = { method, protocol, status: response.statusCode, code: record.code ?? "OK", ms };
  const line = caller === undefined ? fields : { ...fields, workspaceId: caller.workspaceId };
  if (quiet.has(method)) record.log.debug(line, "request");
  else record.log.info(line, "request");
}
