import { once } from "node:events";
import { codeName, errorKindHeader, reasonOf, statusOf, toConnectError } from "../errors.ts";
import type { Exchange } from "./exchange.ts";
import { closeIfEarly } from "./linger.ts";

/** Seconds that a client should wait before it retries after a 503. */
const retryAfterSeconds = 2;

export type ReplyHeaders = Readonly<Record<string, string | number>>;

/** Answers with JSON. */
export function sendJson(exchange: Exchange, status: number, json: unknown, headers: ReplyHeaders = {}): void {
  const { response } = exchange;
  closeIfEarly(exchange);
  // As text, it is sent in one piece with its headers.
  const body = JSON.stringify(json);
  response.writeHead(status, {
    "content-type": "application/json",
    // Answers contain share tokens and current state.
    "cache-control": "no-store",
    ...headers,
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** The body of every REST error. */
export function errorBody(exchange: Exchange, cause: unknown): { status: number; headers: ReplyHeaders; json: object } {
  const error = toConnectError(cause, exchange.record, exchange.signal);
  const status = statusOf(error);
  const headers = Object.fromEntries([...error.metadata].filter(([name]) => name !== errorKindHeader));
  if (status === 401) headers["www-authenticate"] = 'ApiKey realm="drs", header="x-api-key"';
  if (status === 503) headers["retry-after"] = String(retryAfterSeconds);
  const json = { success: false, error: error.rawMessage, code: codeName(error.code), ...reasonOf(error) };
  return { status, headers, json };
}

/** Answers with an error; if the answer has already begun, aborts it, so that it is not taken for complete. */
export function sendError(exchange: Exchange, cause: unknown): void {
  const { status, headers, json } = errorBody(exchange, cause);
  if (exchange.signal.aborted) return;
  if (exchange.response.headersSent) exchange.response.destroy();
  else sendJson(exchange, status, json, headers);
}

/** Writes a body piece by piece, as fast as the client reads. Stops early when the client goes away. */
export async function sendBody({ response, signal }: Exchange, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    signal.throwIfAborted();
    if (!response.write(chunk)) await once(response, "drain", { signal });
  }
  response.end();
}
