import { Code } from "@connectrpc/connect";
import { invalid, unavailable } from "../domain/errors.ts";
import { HttpError } from "./errors.ts";
import { isAuthority } from "./http/base-url.ts";
import type { Exchange } from "./http/exchange.ts";

/** Answers a request, or throws the error to answer it with. */
export type Handler = (exchange: Exchange) => Promise<void>;

/** The handlers by path. */
export interface DispatchTable {
  /** Whole paths that are answered even while the server shuts down. */
  readonly always: ReadonlyMap<string, Handler>;
  /** Whole paths. */
  readonly exact: ReadonlyMap<string, Handler>;
  /** Prefixes of paths, the longest first. */
  readonly prefixes: readonly (readonly [prefix: string, handler: Handler])[];
  readonly otherwise: Handler;
  readonly isDraining: () => boolean;
}

/** The bound that HTTP/1.1 has for address and headers together, so that HTTP/2 allows no more. */
const maxUrlLength = 16 * 1024;

/** Dispatches requests to handlers by their paths. */
export function createDispatch({ always, exact, prefixes, otherwise, isDraining }: DispatchTable): Handler {
  return async (exchange) => {
    const { path } = exchange;
    checkTarget(exchange);
    const first = always.get(path);
    if (first !== undefined) return first(exchange);
    if (isDraining()) throw unavailable("the server is shutting down; try again");
    const found = exact.get(path) ?? prefixes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? otherwise;
    return found(exchange);
  };
}

/** Wraps the handler of a read-only endpoint. The name stands for it in logs and metrics. */
export function reading(name: string, handler: Handler): Handler {
  return async (exchange) => {
    const { request, record } = exchange;
    record.method = `GET ${name}`;
    record.route = name;
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new HttpError(405, Code.Unimplemented, "this is read with GET or HEAD", { allow: "GET, HEAD, OPTIONS" });
    }
    return handler(exchange);
  };
}

function checkTarget({ request: { httpVersion, headers, url = "" } }: Exchange): void {
  const host = headers[":authority"] ?? headers.host;
  if (httpVersion === "1.1" && host === undefined) throw invalid("the request has no Host header");
  if (typeof host === "string" && !isAuthority(host))
    throw invalid("the Host header is not a host, or a host and a port");
  if (url.length > maxUrlLength) {
    throw new HttpError(414, Code.InvalidArgument, `the address is longer than ${maxUrlLength} characters`);
  }
}
