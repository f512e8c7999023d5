import { constants } from "node:http2";
import { Code } from "@connectrpc/connect";
import { HttpError } from "../errors.ts";
import { type Exchange, hasCome, type NodeRequest, type NodeResponse, whenAnswered } from "../http/exchange.ts";
import { sendError } from "../http/reply.ts";

/** Bounds of how slow a client may be. */
export interface SlowClientLimits {
  /** Time for the first bytes and the headers of a request, which are small. */
  readonly headersMs: number;
  /**
   * Minimum average rate at which a body comes while the server waits for it, and at which the client takes an answer
   * that is ready.
   */
  readonly minBytesPerSecond: number;
  /** Window of the average for a body; a slower client is noticed within twice this time. */
  readonly bodyWindowMs: number;
  /** The same for an answer. */
  readonly answerWindowMs: number;
  /** Interval of the checks. */
  readonly tickMs: number;
}

/**
 * The slowest lines for documents, of satellites and old phones, have several KB/s, so 1 KB/s is an attack or
 * useless. The server learns only in lumps how much a client has taken, because the system reports room in the buffer
 * of a connection only when a third of it is free, which may be 200 KB. Over a minute it still sees the average of a
 * line of 4 KB/s.
 */
export const defaultSlowClientLimits: SlowClientLimits = {
  headersMs: 20_000,
  minBytesPerSecond: 1024,
  bodyWindowMs: 30_000,
  answerWindowMs: 60_000,
  tickMs: 1_000,
};

/** Keeps clients that send or read too slowly from holding their requests forever. */
export interface Pace {
  watch(exchange: Exchange): void;
  stop(): void;
}

interface Watched {
  readonly exchange: Exchange;
  /** Bytes of the body received since the window began. */
  received: number;
  windowBeganAt: number;
  /** Bytes of the answer that were written to an HTTP/2 stream, which has no counter of its own. */
  given: number;
  /** Bytes of the answer that the client had taken when the window began. */
  takenBefore: number;
  answerWindowBeganAt: number;
}

/** Called for requests that are cut off, with the part that was too slow. */
export type OnCut = (what: "body" | "answer") => void;

/**
 * Watches the pace of requests, with one timer for all: thousands of slow requests must not cost thousands of timers.
 */
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

/**
 * Counts the bytes of a body. Listening for data would start the stream, and the sockets of HTTP/2 also carry other
 * streams.
 */
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
  // Bytes that have arrived but are unread are not the client's fault, and an answer ends the wait for the rest.
  const isOurs = unread(request) > 0 || response.writableEnded || hasCome(request);
  if (!isOurs && now - windowBeganAt < bodyWindowMs) return false;
  Object.assign(watched, { received: 0, windowBeganAt: now });
  return !isOurs && received < (minBytesPerSecond * (now - windowBeganAt)) / 1000;
}

function unread(request: NodeRequest): number {
  return request.readableLength + ("stream" in request ? request.stream.readableLength : 0);
}

/**
 * Counts the bytes of an answer over HTTP/2. Every way of writing to the stream ends in `write`, including that of the
 * last bytes.
 */
function countAnswer(response: NodeResponse, watched: Watched): void {
  if (!("stream" in response)) return;
  const { stream } = response;
  const write = stream.write.bind(stream);
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (chunk instanceof Uint8Array || typeof chunk === "string") watched.given += Buffer.byteLength(chunk);
    return Reflect.apply(write, stream, [chunk, ...rest]);
  };
}

/** Whether the client takes an answer too slowly. If no bytes are ready, the client waits for the server. */
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

/** Bytes that were sent to the client; over HTTP/1.1, since its connection began. */
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
    // Node does not end a request that has been answered, so its readers would wait forever.
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
