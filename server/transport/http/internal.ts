import { createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { type Duplex, duplexPair, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { Exchange } from "./exchange.ts";

/** Answers a request that comes from this process, on behalf of the one that it is part of. */
export type AnswerInternal = (request: IncomingMessage, response: ServerResponse, origin: Exchange) => void;

/**
 * A fetch that leads back into this process, without a network: what a request asks for on behalf of its caller passes the
 * same checks as if the caller had asked. It reaches nothing but addresses of this server.
 */
export type InternalFetch = (origin: Exchange) => typeof fetch;

/** Neither of these has a body, whatever their headers say (RFC 9110). */
const withoutBody: readonly number[] = [101, 204, 205, 304];

export function createInternalFetch(answer: AnswerInternal): InternalFetch {
  const origins = new WeakMap<object, Exchange>();
  // Not listening: it gets connections from here alone, each for one request.
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
    // Either end alone would leave the other one waiting.
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

/** The path that an address of this server has within it. Throws for other servers' addresses. */
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

/** In the words of a network that fails, which is what callers of fetch know. */
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
