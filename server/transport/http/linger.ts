import { constants } from "node:http2";
import type { Socket } from "node:net";
import { type Exchange, hasCome, type NodeRequest } from "./exchange.ts";

/** Bounds of reading and discarding what a client sends after its answer. */
export interface LingerBounds {
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Time over which the rate is measured. */
  readonly windowMs: number;
  readonly minBytesPerSecond: number;
}

/**
 * Allows more bytes than a request may have by default (100 MB), and time to send them at 1 MB/s, which every local
 * network reaches. The minimum rate is that of a bad mobile line: a slower client holds a connection rather than
 * sends a document.
 */
export const defaultLinger: LingerBounds = {
  maxBytes: 256 * 2 ** 20,
  maxMs: 120_000,
  windowMs: 5_000,
  minBytesPerSecond: 16 * 1024,
};

/**
 * Closes the connection after an answer that is sent before its request is complete: a next request in the same
 * connection would be taken for the rest of the body. HTTP/2 has separate streams.
 */
export function closeIfEarly({ request, response }: Pick<Exchange, "request" | "response">): void {
  if ("stream" in response || response.headersSent || hasCome(request)) return;
  response.setHeader("connection", "close");
}

/**
 * Discards the rest of a request that is answered before it is complete, such as an upload that is refused by its first
 * bytes. Call it when the answer has been written, before Node's own listeners. The rest is read and discarded within
 * bounds, because many clients read no answer before they have sent everything. Closing a socket with unread bytes
 * resets the connection, which destroys the answer. Resetting an HTTP/2 stream at once, as RFC 9113 (section 8.1)
 * provides, makes Go and older versions of curl drop the answer that they have received.
 */
export function discardRest(request: NodeRequest, bounds: LingerBounds = defaultLinger): void {
  if (hasCome(request)) return;
  const drain = async (taken: (bytes: number) => void): Promise<void> => {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) taken(chunk.length);
  };
  if ("stream" in request) {
    const { stream } = request;
    const watch = watchRest(bounds, () => stream.close(constants.NGHTTP2_NO_ERROR));
    stream.once("close", watch.stop);
    drain(watch.taken).catch(() => undefined);
    return;
  }
  const { socket } = request;
  const watch = watchRest(bounds, () => socket.destroy());
  socket.once("close", watch.stop);
  let isClosing = false;
  // Node calls this to close a connection after its last answer, at once, even if the client still sends.
  socket.destroySoon = () => {
    isClosing = true;
    socket.end();
  };
  drain(watch.taken)
    .catch(() => undefined)
    .finally(() => {
      // The client ends its side when it has seen ours end; a client that does not is cut off for its silence.
      if (isClosing) return;
      watch.stop();
      socket.off("close", watch.stop);
      Reflect.deleteProperty(socket, "destroySoon");
    });
}

/** Closes a connection after its last answer as `discardRest` does, for input that is not a request. */
export function closeAfterRest(socket: Socket, bounds: LingerBounds = defaultLinger): void {
  const watch = watchRest(bounds, () => socket.destroy());
  socket.once("close", watch.stop);
  socket.end();
  // The parser would keep reporting errors.
  socket.removeAllListeners("data");
  socket.on("data", (chunk: Buffer) => watch.taken(chunk.length));
  socket.resume();
}

interface RestWatch {
  taken(bytes: number): void;
  stop(): void;
}

/** Cuts off a client that sends too much after its answer, for too long, or too slowly. */
function watchRest({ maxBytes, maxMs, windowMs, minBytesPerSecond }: LingerBounds, cut: () => void): RestWatch {
  const endsAt = performance.now() + maxMs;
  let bytes = 0;
  let bytesBefore = 0;
  const watching = setInterval(() => {
    const isSlow = bytes - bytesBefore < (minBytesPerSecond * windowMs) / 1000;
    bytesBefore = bytes;
    if (isSlow || performance.now() >= endsAt) cut();
  }, windowMs).unref();
  return {
    taken(more) {
      bytes += more;
      if (bytes > maxBytes) cut();
    },
    stop: () => clearInterval(watching),
  };
}
