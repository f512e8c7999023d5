import { cors } from "@connectrpc/connect";
import { errorKindHeader } from "../errors.ts";
import type { Exchange } from "./exchange.ts";

/** Headers of every answer. */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  // Addresses of share links carry their token.
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "cross-origin",
} as const;

const allowedHeaders = [
  ...cors.allowedHeaders,
  "accept",
  "authorization",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
  "range",
  "x-api-key",
  "x-request-id",
  "x-workspace",
].join(", ");

const exposedHeaders = [
  ...cors.exposedHeaders,
  errorKindHeader,
  "accept-ranges",
  "content-disposition",
  "content-length",
  "content-range",
  "etag",
  "idempotency-replayed",
  "last-modified",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
  "x-request-id",
].join(", ");

const allowedMethods = [...new Set([...cors.allowedMethods, "HEAD", "PUT", "PATCH", "DELETE"])].join(", ");
/** Browsers cap it: two hours in Chromium, a day in Firefox. */
const preflightSeconds = 7200;

/** Paths of the service itself are not for other sites. */
const closedPaths = /^\/(?:metrics|readyz|healthz|identity|docs|auth)?(?:\/|$)/;

/** Sets the headers that every answer has. Handlers may override them. */
export function setCommonHeaders({ response, path, record }: Exchange): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  response.setHeader("x-request-id", record.id);
  if (closedPaths.test(path)) return;
  // Any site may call: the credential is the API key or the share token, and browsers send neither by themselves.
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", exposedHeaders);
}

/** Answers a CORS preflight request; false if the request is none. */
export function answerPreflight({ request, response, record }: Exchange): boolean {
  if (request.method !== "OPTIONS") return false;
  record.method = "preflight";
  response.writeHead(204, {
    // For clients other than browsers.
    allow: allowedMethods,
    "access-control-allow-methods": allowedMethods,
    "access-control-allow-headers": allowedHeaders,
    "access-control-max-age": String(preflightSeconds),
  });
  response.end();
  return true;
}
