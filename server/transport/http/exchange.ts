import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { createContextKey, type HandlerContext, Code, ConnectError } from "@connectrpc/connect";
import type { universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { Logger } from "pino";
import type { Caller } from "../../domain/caller.ts";
import type { RequestSpan, TraceHeaders } from "../../domain/ports/tracing.ts";
import type { Admitted } from "../limits/admission.ts";
import type { ClientAddress } from "./client-address.ts";
import { newUlid } from "../../domain/ids.ts";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1];

/** One HTTP request and its answer, whatever protocol it speaks. */
export interface Exchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  /** The path as sent, without the query and not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborted when the connection is gone before the answer is complete. */
  readonly signal: AbortSignal;
  readonly record: RequestRecord;
  readonly span: RequestSpan;
}

/** Whether all bytes of a request have been received, whether or not they have been read. */
export function hasCome(request: NodeRequest): boolean {
  if (!("stream" in request)) return request.complete;
  // Its own `complete` is set only when the body has been read to the end.
  return request.complete || request.stream.destroyed || request.stream.state.remoteClose === 1;
}

/**
 * Calls back when all of an answer has been handed to the connection. Over HTTP/2 the response's own event comes only
 * when its stream is closed, which does not happen while the client still sends.
 */
export function whenAnswered(response: NodeResponse, callback: () => void): void {
  if ("stream" in response) response.stream.once("finish", callback);
  else response.once("finish", callback);
}

/** As `whenAnswered`, but before Node's own listener, which may close the connection. */
export function beforeClosing(response: NodeResponse, callback: () => void): void {
  if ("stream" in response) response.stream.prependOnceListener("finish", callback);
  else response.prependOnceListener("finish", callback);
}

/** The facts about a request for its log line and its metrics, filled in while it is handled. */
export interface RequestRecord {
  readonly id: string;
  readonly log: Logger;
  /** Address of the client, as far as it is known. */
  readonly remoteAddress: string;
  /** Base of links in the answer, without a trailing slash. */
  readonly baseUrl: string;
  protocol: "rest" | "connect" | "grpc" | "grpc-web" | "http";
  /** `package.Service/Method`, or the plain HTTP endpoint; never a path with ids or tokens in it. */
  method: string;
  /**
   * The route of REST requests and read-only endpoints, a template such as `/v1/datasets/{id}`; undefined if no route
   * matched.
   */
  route: string | undefined;
  /** Name of the error code; undefined unless the request has failed. */
  code: string | undefined;
  caller: Caller | undefined;
  /** Occupies the admitted request's place until the client has received the answer or aborted it. */
  hold(admitted: Admitted): void;
}

/** The record of the HTTP request that carried a call. */
export const recordKey = createContextKey<RequestRecord | undefined>(undefined, { description: "request record" });

/** Headers and trailers of the answer to a call. An interceptor that answers by itself must pass them on. */
export const answerKey = createContextKey<Pick<HandlerContext, "responseHeader" | "responseTrailer"> | undefined>(
  undefined,
  { description: "headers and trailers of the answer" },
);

/** Ids that are accepted from outside. An id is logged and sent back, so it must not be able to break out of either. */
const requestId = /^[A-Za-z0-9._:-]{1,128}$/;

interface ExchangeOptions {
  readonly log: Logger;
  readonly baseUrlOf: (request: NodeRequest) => string;
  readonly clientAddressOf: ClientAddress;
  readonly beginSpan: (path: string, headers: TraceHeaders) => RequestSpan;
}

/** Begins the record of a request. Its id is the one that the caller sent, if that is valid. */
export function beginExchange(
  request: NodeRequest,
  response: NodeResponse,
  { log, baseUrlOf, clientAddressOf, beginSpan }: ExchangeOptions,
): Exchange {
  const target = request.url ?? "/";
  const queryAt = target.indexOf("?");
  const path = queryAt < 0 ? target : target.slice(0, queryAt);
  const given = request.headers["x-request-id"];
  const id = typeof given === "string" && requestId.test(given) ? given : `req_${newUlid()}`;
  const span = beginSpan(path, {
    traceparent: single(request, "traceparent"),
    tracestate: single(request, "tracestate"),
  });
  const gone = new AbortController();
  let isClosed = false;
  response.once("close", () => {
    isClosed = true;
    if (!response.writableFinished) gone.abort();
  });
  return {
    request,
    response,
    path,
    query: new URLSearchParams(queryAt < 0 ? "" : target.slice(queryAt + 1)),
    signal: gone.signal,
    span,
    record: {
      id,
      log: log.child({ requestId: id, ...(span.traceId !== undefined && { traceId: span.traceId }) }),
      remoteAddress: clientAddressOf(request),
      baseUrl: baseUrlOf(request),
      protocol: protocolOf(request.headers["content-type"]),
      method: "unknown",
      route: undefined,
      code: undefined,
      caller: undefined,
      hold(admitted) {
        if (isClosed) return admitted.leave();
        response.once("close", admitted.leave);
        // Over HTTP/2, bytes received after the answer keep the stream open, but no work is left to do.
        whenAnswered(response, admitted.leave);
      },
    },
  };
}

function single({ headers }: NodeRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

function protocolOf(contentType: string | undefined): RequestRecord["protocol"] {
  if (contentType?.startsWith("application/grpc-web") === true) return "grpc-web";
  return contentType?.startsWith("application/grpc") === true ? "grpc" : "http";
}

/** Functions that ask for the body of requests with an expectation (RFC 9110, section 10.1.1). */
const expecting = new WeakMap<NodeRequest, () => void>();

/** Registers a request whose client sends the body when it is asked to, or has waited too long. */
export function expectContinue(request: NodeRequest, ask: () => void): void {
  expecting.set(request, ask);
}

/**
 * Yields the body. It is not destroyed if its reader stops early, because that would destroy the connection and the
 * answer too.
 */
export async function* bodyOf(request: NodeRequest): AsyncGenerator<Uint8Array> {
  expecting.get(request)?.();
  expecting.delete(request);
  try {
    yield* request.iterator({ destroyOnReturn: false });
  } catch (cause) {
    throw new ConnectError("the client went away before its request was complete", Code.Canceled, {}, [], cause);
  }
}
