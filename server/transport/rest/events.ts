import { once } from "node:events";
import type { Exchange } from "../http/exchange.ts";
import { errorBody } from "../http/reply.ts";

/** One server-sent event (HTML, section 9.2). */
export interface ServerEvent {
  /** Empty: the event cannot be resumed after. */
  readonly id: string;
  readonly json: object;
}

/** An error that comes within this time is answered with its own status; later the stream has begun. */
const openAfterMs = 1_000;
/** Proxies and clients take a quiet connection for dead after half a minute at the earliest. */
const heartbeatMs = 15_000;

/** Answers with a stream of events. An error after the first of them becomes the last: `event: error`. */
export async function sendEvents(exchange: Exchange, events: AsyncIterable<ServerEvent>): Promise<void> {
  const { response, signal } = exchange;
  const open = (): void => {
    if (response.headersSent) return;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Some proxies would hold events back to send more at once.
      "x-accel-buffering": "no",
    });
  };
  const beat = (): void => {
    if (signal.aborted) return;
    open();
    response.write(": still here\n\n");
    heartbeat = setTimeout(beat, heartbeatMs);
  };
  let heartbeat = setTimeout(beat, openAfterMs);
  try {
    for await (const { id, json } of events) {
      signal.throwIfAborted();
      open();
      clearTimeout(heartbeat);
      heartbeat = setTimeout(beat, heartbeatMs);
      const isFlowing = response.write(`${id === "" ? "" : `id: ${id}\n`}data: ${JSON.stringify(json)}\n\n`);
      if (!isFlowing) await once(response, "drain", { signal });
    }
    open();
  } catch (cause) {
    if (!response.headersSent || signal.aborted) throw cause;
    response.write(`event: error\ndata: ${JSON.stringify(errorBody(exchange, cause).json)}\n\n`);
  } finally {
    clearTimeout(heartbeat);
  }
  response.end();
}
