import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { universalResponseToNodeResponse } from "@connectrpc/connect-node";
import type { Logger } from "pino";
import type { Caller } from "../../domain/caller.ts";
import type { RequestSpan, TraceHeaders } from "../../domain/ports/tracing.ts";
import type { Admitted } from "../limits/admission.ts";
import type { ClientAddress } from "./client-address.ts";
import { newUlid } from "../../domain/ulid.ts";

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = Parameters<typeof universalResponseToNodeResponse>[1];

/** One HTTP request and its answer, whatever protocol it speaks. */
export interface Exchange {
  readonly request: NodeRequest;
  readonly response: NodeResponse;
  /** As sent, without the query; not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Aborted when the connection is gone before the answer is complete. */
  readonly signal: AbortSignal;
  readonly record: RequestRecord;
  readonly span: RequestSpan;
}

/** Whether all of a request is here, read or not. */
export function hasCome(request: NodeRequest): boolean {
  if (!("stream" in request)) return request.complete;
  // Its own `complete` is set only when the body has been read to the end.
  return request.complete || request.stream.destroyed || request.stream.state.remoteClose === 1;
}

/**
 * Calls back when all of an answer has been handed to the connection. Over HTTP/2 the response itself says so only when
 * its stream is closed, which it is not as long as the client sends.
 */
export function whenAnswered(response: NodeResponse, callback: () => void): void {
  if ("stream" in response) response.stream.once("finish", callback);
  else response.once("finish", callback);
}

/** As `whenAnswered`, ahead of what Node does then, which may be to close the connection. */
export function beforeClosing(response: NodeResponse, callback: () => void): void {
  if ("stream" in response) response.stream.prependOnceListener("finish", callback);
  else response.prependOnceListener("finish", callback);
}

/** What is known about a request when it ends: becomes its log line and its metrics. Filled in on its way. */
export interface RequestRecord {
  readonly id: string;
  readonly log: Logger;
  /** Of the client, as far as is known. */
  readonly remoteAddress: string;
  /** What links in the answer begin with, without a slash at the end. */
  readonly baseUrl: string;
  protocol: "rest" | "connect" | "grpc" | "grpc-web" | "http";
  /** `package.Service/Method`, or the plain HTTP endpoint; never a path with ids or tokens in it. */
  method: string;
  /** Of REST, a template such as `/v1/datasets/{id}`, and of what is only read; undefined: of none that is known. */
  route: string | undefined;
  /** Name of the error code; undefined while nothing has failed. */
  code: string | undefined;
  caller: Caller | undefined;
  /** Keeps a place at work until the answer has been taken or broken off. */
  hold(admitted: Admitted): void;
}

/** The record of the HTTP request that a call came with. */
export const recordKey = createContextKey<RequestRecord | undefined>(undefined, { description: "request record" });

/** What the answer to a call carries beside its message. An interceptor that answers by itself must hand these on. */
export const answerKey = createContextKey<Pick<HandlerContext, "responseHeader" | "responseTrailer"> | undefined>(
  undefined,
  { description: "headers and trailers of the answer" },
);

/** What we accept as an id from outside: it is logged and sent back, so nothing that could break out of either. */
const requestId = /^[A-Za-z0-9._:-]{1,128}$/;

interface ExchangeOptions {
  readonly log: Logger;
  readonly baseUrlOf: (request: NodeRequest) => string;
  readonly clientAddressOf: ClientAddress;
  readonly beginSpan: (path: string, headers: TraceHeaders) => RequestSpan;
}

/** Begins the record of a request: its id (the caller's own, if usable) and the answer's headers that every answer has. */
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
        // What still comes behind an answer to HTTP/2 keeps the stream open, but nothing is at work any more.
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
