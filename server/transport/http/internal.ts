import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { type Duplex, duplexPair, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Exchange } from "./exchange.ts";

/** Answers a request of this process, which is made on behalf of the exchange `origin`. */
export type AnswerInternal = (request: IncomingMessage, response: ServerResponse, origin: Exchange) => void;

/**
 * Creates a fetch that leads back into this process without a network. Its requests pass the same checks as if the
 * caller of `origin` had sent them. It reaches nothing but addresses of this server.
 */
export type InternalFetch = (origin: Exchange) => typeof fetch;

/** Statuses without a body, whatever the headers say (RFC 9110). */
const withoutBody: readonly number[] = [101, 204, 205, 304];

export function createInternalFetch(answer: AnswerInternal): InternalFetch {
  const origins = new WeakMap<object, Exchange>();
  // It does not listen: it gets connections from here only, each for one request.
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 }, (request, response) => {
    const origin = origins.get(request.socket);
    if (origin === undefined) response.destroy();
    else answer(request, response, origin);
  });
  return (origin) => async (input, init) => {
    if (input instanceof Request) throw new TypeError("an address is wanted, not a request with a body of its own");
    const path = pathOf(new URL(input), origin.record.baseUrl);
    const signal = AbortSignal.any([origin.signal, ...(init?.signal ? [init.signal] : [])]);
    signal.throwIfAborted();
    const [ours, theirs] = duplexPair();
    // Destroying one end only would leave the other one waiting.
    const end = (): void => {
      ours.destroy();
      theirs.destroy();
    };
    ours.once("close", end);
    theirs.once("close", end);
    origins.set(theirs, origin);
    server.emit("connection", theirs);
    const headers = new Headers(init?.headers);
    headers.set("x-request-id", origin.record.id);
    return exchange(path, { ...init, headers, signal }, ours);
  };
}

/** The path of an address within this server. Throws for addresses of other servers. */
function pathOf({ href }: URL, baseUrl: string): string {
  const base = `${new URL(baseUrl).href.replace(/\/$/, "")}/`;
  if (!href.startsWith(base))
    throw new TypeError("fetch failed", { cause: new Error(`${href} is not of this server`) });
  return href.slice(base.length - 1);
}

function exchange(
  path: string,
  { method = "GET", headers, body, signal }: RequestInit,
  socket: Duplex,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sent = requestHttp({
      createConnection: () => socket,
      host: "internal",
      path,
      method,
      headers: { ...Object.fromEntries(new Headers(headers)), connection: "close" },
      ...(signal ? { signal } : {}),
    });
    sent.on("error", (cause) => reject(signal?.aborted === true ? signal.reason : failed(cause)));
    sent.once("response", (answer) => {
      const { statusCode: status = 500, statusMessage: statusText = "" } = answer;
      const hasBody = method !== "HEAD" && !withoutBody.includes(status);
      if (!hasBody) answer.resume();
      resolve(new Response(hasBody ? webStream(answer) : null, { status, statusText, headers: headersOf(answer) }));
    });
    if (body === undefined || body === null) sent.end();
    else {
      Readable.fromWeb(streamOf(body))
        .on("error", (cause) => sent.destroy(cause))
        .pipe(sent);
    }
  });
}

/** The error of a failed network request, as callers of fetch know it. */
function failed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

function streamOf(body: NonNullable<RequestInit["body"]>): NodeReadableStream {
  const { body: stream } = new Response(body);
  if (stream === null) throw new TypeError("the body is empty");
  return stream;
}

function webStream(answer: IncomingMessage): ReadableStream<Uint8Array> {
  return Readable.toWeb(answer);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const item of Array.isArray(value) ? value : [value ?? ""]) copy.append(name, item);
  }
  return copy;
}
