import type { Socket } from "node:net";
import { securityHeaders } from "./headers.ts";
import { closeAfterRest, type LingerBounds } from "./linger.ts";
import { newUlid } from "../../domain/ids.ts";

interface Refusal {
  readonly status: string;
  readonly code: string;
  readonly error: string;
}

const notHttp: Refusal = {
  status: "400 Bad Request",
  code: "INVALID_ARGUMENT",
  error: "this is no HTTP request that can be understood",
};

/** Refusals by the code of Node's error. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    code: "INVALID_ARGUMENT",
    error: "the address and headers of the request are longer than 16 KB together; make them shorter",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: "413 Content Too Large",
    code: "RESOURCE_EXHAUSTED",
    error: "the chunks of the body carry more extensions than content; send it without",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    code: "DEADLINE_EXCEEDED",
    error: "the request came too slowly; try again",
  },
};

/**
 * Answers input that never became a request, because its head is broken, too large or too slow, and closes the
 * connection.
 */
export function refuse(cause: NodeJS.ErrnoException, socket: Socket, linger?: LingerBounds): void {
  if (cause.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, error } = refusals[cause.code ?? ""] ?? notHttp;
  const body = JSON.stringify({ success: false, error, code, reason: code });
  const headers = {
    ...securityHeaders,
    "x-request-id": `req_${newUlid()}`,
    "content-type": "application/json",
    "cache-control": "no-store",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status}`, ...lines, "", body].join("\r\n"));
  closeAfterRest(socket, linger);
}
