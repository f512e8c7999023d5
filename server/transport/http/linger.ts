import { constants } from "node:http2";
import type { Socket } from "node:net";
import { type Exchange, hasCome, type NodeRequest } from "./exchange.ts";

/** How much of what is sent after its answer is read and thrown away. */
export interface LingerBounds {
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Time over which the rate is taken. */
  readonly windowMs: number;
  readonly minBytesPerSecond: number;
}

/**
 * More than a request may have by default (100 MB), and time for it at 1 MB/s, which every local network has. The minimum
 * rate is that of a bad mobile line: what is slower holds a connection rather than sends a document.
 */
export const defaultLinger: LingerBounds = {
  maxBytes: 256 * 2 ** 20,
  maxMs: 120_000,
  windowMs: 5_000,
  minBytesPerSecond: 16 * 1024,
};

/**
 * Ends the connection with an answer that comes before its request has: a client that sends its next request into the
 * same connection too early would have it taken for the rest of the body. HTTP/2 knows its streams apart.
 */
export function closeIfEarly({ request, response }: Pick<Exchange, "request" | "response">): void {
  if ("stream" in response || response.headersSent || hasCome(request)) return;
  response.setHeader("connection", "close");
}

/**
 * A request may be answered before it is complete, such as an upload that is refused by its first bytes. To be called
 * when the answer has been written, ahead of what Node does then. What still comes is read and thrown away within
 * bounds: many clients read no answer before they have sent everything. A socket that is closed with bytes unread
 * resets the connection, which destroys the answer; a stream of HTTP/2 that is reset at once, although RFC 9113
 * (section 8.1) has it so, makes Go and older versions of curl forget the answer that they have got.
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
  // How Node closes a connection behind its last answer: at once, whatever still comes.
  socket.destroySoon = () => {
    isClosing = true;
    socket.end();
  };
  drain(watch.taken)
    .catch(() => undefined)
    .finally(() => {
      // The client ends its side when it has seen ours end; one that does not is noticed by its silence.
      if (isClosing) return;
      watch.stop();
      socket.off("close", watch.stop);
      Reflect.deleteProperty(socket, "destroySoon");
    });
}

/** Ends a connection behind its last answer as `discardRest` does, where what came is no request. */
export function closeAfterRest(socket: Socket, bounds: LingerBounds = defaultLinger): void {
  const watch = watchRest(bounds, () => socket.destroy());
  socket.once("close", watch.stop);
  socket.end();
  // The parser would go on to complain.
  socket.removeAllListeners("data");
  socket.on("data", (chunk: Buffer) => watch.taken(chunk.length));
  socket.resume();
}

interface RestWatch {
  taken(bytes: number): void;
  stop(): void;
}

/** Cuts off who sends too much behind an answer, for too long or too slowly. */
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
