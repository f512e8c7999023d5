import { constants } from "node:http2";
import { Code } from "@connectrpc/connect";
import { HttpError } from "../errors.ts";
import { type Exchange, hasCome, type NodeRequest, type NodeResponse, whenAnswered } from "../http/exchange.ts";
import { sendError } from "../http/reply.ts";

/** How slow a client may be. */
export interface SlowClientLimits {
  /** For the first bytes and the headers of a request, which are small. */
  readonly headersMs: number;
  /** Minimum of the average rate at which a body must come while we wait for it, and at which an answer that lies ready is taken. */
  readonly minBytesPerSecond: number;
  /** Time that the average of a body is taken over; a client that is slower is noticed within twice of it. */
  readonly bodyWindowMs: number;
  /** The same of an answer. */
  readonly answerWindowMs: number;
  /** How often we look. */
  readonly tickMs: number;
}

/**
 * The slowest lines that carry documents, of satellites and old phones, do several KB/s: 1 KB/s is on purpose or of no
 * use. What a client takes is seen in lumps, because the system reports room in the buffer of a connection only when a
 * third of it is free, which may be 200 KB: over a minute the average of a line of 4 KB/s is still seen.
 */
export const defaultSlowClientLimits: SlowClientLimits = {
  headersMs: 20_000,
  minBytesPerSecond: 1024,
  bodyWindowMs: 30_000,
  answerWindowMs: 60_000,
  tickMs: 1_000,
};

/** Keeps those who send or read too slowly from holding their requests for ever. */
export interface Pace {
  watch(exchange: Exchange): void;
  stop(): void;
}

interface Watched {
  readonly exchange: Exchange;
  /** Bytes of the body since the window began. */
  received: number;
  windowBeganAt: number;
  /** Bytes of the answer that were given to a stream of HTTP/2, whose own count there is none. */
  given: number;
  /** Bytes of the answer that had been taken when its window began. */
  takenBefore: number;
  answerWindowBeganAt: number;
}

/** Hears of requests that are cut off, by what of them was too slow. */
export type OnCut = (what: "body" | "answer") => void;

/** One timer for all requests: thousands of slow ones must not cost thousands of timers. */
export function createPace(limits: SlowClientLimits = defaultSlowClientLimits, onCut: OnCut = () => undefined): Pace {
  const all = new Set<Watched>();
  const ticking = setInterval(() => {
    const now = performance.now();
    for (const watched of all) {
      if (isBodyTooSlow(watched, now, limits)) {
        onCut("body");
        cutBody(watched.exchange, limits);
      } else if (isAnswerTooSlow(watched, now, limits)) {
        onCut("answer");
        cutAnswer(watched.exchange);
      }
    }
  }, limits.tickMs).unref();
  return {
    watch(exchange) {
      const now = performance.now();
      const watched: Watched = {
        exchange,
        received: 0,
        windowBeganAt: now,
        given: 0,
        takenBefore: 0,
        answerWindowBeganAt: now,
      };
      countBody(exchange.request, watched);
      countAnswer(exchange.response, watched);
      exchange.response.once("close", () => all.delete(watched));
      all.add(watched);
    },
    stop: () => clearInterval(ticking),
  };
}

/** Listening for data would start the stream, and the sockets of HTTP/2 carry other streams as well. */
function countBody(request: NodeRequest, watched: Watched): void {
  const push = request.push.bind(request);
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk instanceof Uint8Array) watched.received += chunk.length;
    return push(chunk, encoding);
  };
}

function isBodyTooSlow(watched: Watched, now: number, { minBytesPerSecond, bodyWindowMs }: SlowClientLimits): boolean {
  const { exchange, received, windowBeganAt } = watched;
  const { request, response } = exchange;
  // What has come and lies there unread is not the client's fault, and an answer ends the wait for the rest.
  const isOurs = unread(request) > 0 || response.writableEnded || hasCome(request);
  if (!isOurs && now - windowBeganAt < bodyWindowMs) return false;
  Object.assign(watched, { received: 0, windowBeganAt: now });
  return !isOurs && received < (minBytesPerSecond * (now - windowBeganAt)) / 1000;
}

function unread(request: NodeRequest): number {
  return request.readableLength + ("stream" in request ? request.stream.readableLength : 0);
}

/** Every way to write an answer to a stream of HTTP/2 comes down to `write`, that of its last bytes included. */
function countAnswer(response: NodeResponse, watched: Watched): void {
  if (!("stream" in response)) return;
  const { stream } = response;
  const write = stream.write.bind(stream);
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (chunk instanceof Uint8Array || typeof chunk === "string") watched.given += Buffer.byteLength(chunk);
    return Reflect.apply(write, stream, [chunk, ...rest]);
  };
}

/** An answer of which nothing lies ready is awaited by its client, not the other way round. */
function isAnswerTooSlow(
  watched: Watched,
  now: number,
  { minBytesPerSecond, answerWindowMs }: SlowClientLimits,
): boolean {
  const { takenBefore, answerWindowBeganAt } = watched;
  const isTaken = pendingIn(watched.exchange.response) === 0;
  const windowMs = now - answerWindowBeganAt;
  if (!isTaken && windowMs < answerWindowMs) return false;
  const taken = takenOf(watched);
  Object.assign(watched, { takenBefore: taken, answerWindowBeganAt: now });
  return !isTaken && taken - takenBefore < (minBytesPerSecond * windowMs) / 1000;
}

/** Bytes that have left for the client; over HTTP/1.1 since its connection began. */
function takenOf({ exchange: { request, response }, given }: Watched): number {
  if ("stream" in response) return given - pendingIn(response);
  return request.socket.bytesWritten - request.socket.writableLength;
}

function pendingIn(response: NodeResponse): number {
  if (!("stream" in response)) return response.writableLength;
  return response.stream.destroyed ? 0 : response.stream.writableLength;
}

function cutBody(exchange: Exchange, { minBytesPerSecond, bodyWindowMs }: SlowClientLimits): void {
  const { request, response } = exchange;
  const minRate = `${minBytesPerSecond} bytes a second over ${Math.round(bodyWindowMs / 1000)} seconds`;
  const sentence = `the request's body comes too slowly; send at least ${minRate}, or the document in parts`;
  const cut = (): void => {
    if ("stream" in request) {
      request.stream.destroy();
      return;
    }
    // Node lets go of a request that has been answered: nobody else would tell those who still read it.
    request.socket.once("close", () => request.destroy());
    request.socket.destroy();
  };
  if (response.headersSent) return cutAnswer(exchange);
  whenAnswered(response, cut);
  if (!("stream" in response)) response.setHeader("connection", "close");
  sendError(exchange, new HttpError(408, Code.DeadlineExceeded, sentence));
}

function cutAnswer({ request, record }: Exchange): void {
  record.log.debug("the answer is not being read; cut off");
  if ("stream" in request) request.stream.close(constants.NGHTTP2_CANCEL);
  else request.socket.destroy();
}
