import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { expectContinue, beforeClosing, type NodeRequest, type NodeResponse } from "./exchange.ts";
import { countedNetworkOf } from "./client-address.ts";
import { createFairLimit } from "../limits/fair-limit.ts";
import { discardRest, type LingerBounds } from "./linger.ts";
import { defaultSlowClientLimits, type SlowClientLimits } from "../limits/pace.ts";
import { refuse } from "./refusal.ts";

/** How connections are counted, and a listener for refused ones. */
export interface ConnectionRules {
  /** The network that an address counts for; undefined if it is not counted. */
  readonly countedNetwork: (address: string) => string | undefined;
  readonly onRefusal: (kind: "connection", dimension: "address" | "process") => void;
}

type Handler = (request: NodeRequest, response: NodeResponse) => void;

export interface Listener {
  listen(host: string, port: number): Promise<AddressInfo>;
  /** Accepts no new connections, lets running requests end within the time, then aborts the rest. */
  close(graceMs: number): Promise<void>;
}

/** Maximum time of a whole request: the largest upload over the slowest line worth waiting for. */
const requestTimeoutMs = 3_600_000;
/** After this time without data in either direction the client is gone; quiet streams send something every 15 s. */
const idleTimeoutMs = 120_000;
/**
 * Maximum number of connections, most of them idle: each costs some 20 KB, and one of the files that a process may
 * open. One network may use up to three times as many as it leaves free.
 */
const maxConnections = 4096;
/** Longer than the minute after which most load balancers close idle connections, so that they close first. */
const keepAliveTimeoutMs = 65_000;
/** Maximum number of concurrent streams of an HTTP/2 connection; the RFC recommends at least 100. */
const maxConcurrentStreams = 256;
/** Bytes that an HTTP/2 client may send ahead. The default of 64 KiB makes every upload wait for round trips. */
const streamWindowBytes = 2 ** 20;
const connectionWindowBytes = 4 * 2 ** 20;

interface OpenConnections {
  readonly sockets: ReadonlySet<Socket>;
  /** Sockets that have not shown yet which protocol they speak. */
  readonly silent: ReadonlySet<Socket>;
  readonly sessions: ReadonlySet<http2.ServerHttp2Session>;
}

/** Serves HTTP/1.1 and cleartext HTTP/2 (prior knowledge, as gRPC does it) on one port. */
export function createListener(
  handler: Handler,
  log: Logger,
  { headersMs, tickMs }: Pick<SlowClientLimits, "headersMs" | "tickMs"> = defaultSlowClientLimits,
  linger?: LingerBounds,
  { countedNetwork, onRefusal }: ConnectionRules = { countedNetwork: countedNetworkOf, onRefusal: () => undefined },
): Listener {
  const serve: Handler = (request, response) => {
    // The request was sent after one whose answer closed the connection. It cannot be answered, so it is not handled.
    if (!("stream" in request) && request.socket.writableEnded) return;
    response.on("error", (cause) => log.debug({ err: cause }, "answer broken off"));
    request.on("error", (cause) => log.debug({ err: cause }, "request broken off"));
    beforeClosing(response, () => discardRest(request, linger));
    handler(request, response);
  };
  /** The client waits until it is asked for the body, so it sends none if the request is refused by its head. */
  const serveExpecting: Handler = (request, response) => {
    expectContinue(request, () => response.writeContinue());
    serve(request, response);
  };
  const h1 = createHttp1(serve, serveExpecting, { headersMs, tickMs });
  h1.on("clientError", (cause: NodeJS.ErrnoException, socket: Socket) => refuse(cause, socket, linger));
  const { h2, sessions } = createHttp2(serve, serveExpecting, { headersMs, log });
  const sockets = new Set<Socket>();
  const silent = new Set<Socket>();

  // The HTTP/1.1 server must be the one that listens: only then does it watch its own time-outs and idle connections.
  const [serveHttp1] = h1.listeners("connection");
  if (serveHttp1 === undefined) throw new Error("this version of Node serves connections in another way");
  h1.removeAllListeners("connection");
  h1.on("drop", () => onRefusal("connection", "process"));
  const connections = createFairLimit(maxConnections);
  h1.on("connection", (socket: Socket) => {
    const hold = connections.enter({ address: countedNetwork(socket.remoteAddress ?? "") });
    if ("dimension" in hold) {
      onRefusal("connection", hold.dimension === "process" ? "process" : "address");
      socket.destroy();
      return;
    }
    socket.once("close", hold.leave);
    sockets.add(socket);
    silent.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      silent.delete(socket);
    });
    peek(socket, headersMs, (isHttp2) => {
      silent.delete(socket);
      if (isHttp2) {
        // Otherwise a session whose client has closed its side would stay until the idle time-out.
        socket.allowHalfOpen = false;
        h2.emit("connection", socket);
      } else {
        serveHttp1.call(h1, socket);
        process.nextTick(() => socket.resume());
      }
    });
  });

  return {
    async listen(host, port) {
      h1.listen(port, host);
      await once(h1, "listening");
      const address = h1.address();
      if (address === null || typeof address === "string") throw new Error("the listener has no port");
      return address;
    },
    close: (graceMs) => closeAll(h1, { sockets, silent, sessions }, graceMs),
  };
}

/** Implements `Listener.close`. */
async function closeAll(
  h1: http.Server,
  { sockets, silent, sessions }: OpenConnections,
  graceMs: number,
): Promise<void> {
  if (!h1.listening) return;
  const closed = once(h1, "close");
  h1.close();
  for (const socket of silent) socket.destroy();
  for (const session of sessions) session.close();
  // A connection that has finished its request must not wait for the keep-alive time-out.
  const sweep = setInterval(() => h1.closeIdleConnections(), 50);
  const grace = new AbortController();
  await Promise.race([closed, sleep(graceMs, undefined, { signal: grace.signal }).catch(() => undefined)]);
  grace.abort();
  clearInterval(sweep);
  for (const session of sessions) breakOff(session);
  await Promise.race([closed, sleep(goodbyeMs)]);
  for (const socket of sockets) socket.destroy();
  await closed;
}

function createHttp1(
  serve: Handler,
  serveExpecting: Handler,
  { headersMs, tickMs }: Pick<SlowClientLimits, "headersMs" | "tickMs">,
): http.Server {
  const server = http.createServer(
    {
      headersTimeout: headersMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: tickMs,
      // Refused as every other request is, with a reason.
      requireHostHeader: false,
    },
    serve,
  );
  server.timeout = idleTimeoutMs;
  server.maxConnections = maxConnections;
  // An unknown expectation is no reason to refuse (RFC 9110, section 10.1.1).
  server.on("checkExpectation", serve);
  server.on("checkContinue", serveExpecting);
  return server;
}

function createHttp2(
  serve: Handler,
  serveExpecting: Handler,
  { headersMs, log }: { readonly headersMs: number; readonly log: Logger },
): { readonly h2: http2.Http2Server; readonly sessions: ReadonlySet<http2.ServerHttp2Session> } {
  const h2 = http2.createServer({ settings: { initialWindowSize: streamWindowBytes, maxConcurrentStreams } }, serve);
  h2.on("checkContinue", serveExpecting);
  const sessions = new Set<http2.ServerHttp2Session>();
  h2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    session.once("connect", () => session.setLocalWindowSize(connectionWindowBytes));
    keepWatch(session, headersMs);
  });
  h2.on("sessionError", (cause) => log.debug({ err: cause }, "HTTP/2 connection broken off"));
  return { h2, sessions };
}

const preface = Buffer.from("PRI");

/** Detects the protocol by the first three bytes: no method of HTTP/1.1 begins like the preface of HTTP/2. */
function peek(socket: Socket, maxSilenceMs: number, found: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, preface.length);
    const isPrefix = seen.subarray(0, length).equals(preface.subarray(0, length));
    if (isPrefix && length < preface.length) return;
    stop();
    socket.pause();
    socket.unshift(seen);
    found(isPrefix);
  };
  const giveUp = (): void => {
    socket.destroy();
  };
  const stop = (): void => {
    socket.off("data", onData).off("timeout", giveUp).off("end", giveUp);
    socket.setTimeout(0);
  };
  socket.on("error", () => socket.destroy());
  socket.setTimeout(maxSilenceMs);
  socket.on("timeout", giveUp);
  // Sockets of an HTTP server stay half open: they do not close by themselves when the peer does.
  socket.on("end", giveUp);
  socket.on("data", onData);
}

/** Time for the frames that announce the end to reach the network. */
const goodbyeMs = 100;

/**
 * Aborts a session and says that its streams are cancelled: clients take a connection that just ends for one that ended
 * well, and wait for an answer.
 */
function breakOff(session: http2.ServerHttp2Session): void {
  if (!session.destroyed) session.goaway(http2.constants.NGHTTP2_CANCEL);
  session.destroy();
}

/** Closes an idle HTTP/2 connection without requests; one with requests must still answer a ping. */
function keepWatch(session: http2.ServerHttp2Session, headersMs: number): void {
  let openStreams = 0;
  session.on("stream", (stream) => {
    openStreams += 1;
    stream.once("close", () => (openStreams -= 1));
  });
  // As with HTTP/1.1: the first request must come soon after the connection.
  const first = setTimeout(() => session.destroy(), headersMs).unref();
  session.once("stream", () => clearTimeout(first)).once("close", () => clearTimeout(first));
  session.setTimeout(idleTimeoutMs, () => {
    if (openStreams === 0) return session.close();
    const cutOff = setTimeout(() => session.destroy(), headersMs).unref();
    const isSent = session.ping((cause) => {
      clearTimeout(cutOff);
      if (cause !== null) session.destroy();
    });
    if (!isSent) session.destroy();
  });
}
