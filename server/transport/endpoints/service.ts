import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Registry } from "prom-client";
import { forbidden, invalid, notFound, unauthenticated, unavailable } from "../../domain/errors.ts";
import { type Handler, reading } from "../dispatch.ts";
import type { WorkKind } from "../limits/admission.ts";
import type { Exchange } from "../http/exchange.ts";
import type { CheckReadiness } from "../rpc/protocol-services.ts";
import type { IsOperator } from "../access/operator.ts";
import { sendJson } from "../http/reply.ts";

interface Options {
  readonly readiness: CheckReadiness;
  readonly registry: Registry;
  /** The state of the service for operators, as JSON; undefined for none. */
  readonly operatorState: (() => Promise<object>) | undefined;
  readonly proveIdentity: ProveIdentity | undefined;
  /** Only operators learn why the server is not ready: reasons may quote paths and stores. */
  readonly isOperator: IsOperator;
  readonly enter: (exchange: Exchange, kind: WorkKind) => void;
}

/** Computes the proof for the server's end of the connection that the nonce came over. */
export type ProveIdentity = (challenge: {
  readonly nonce: string;
  readonly address: string;
  readonly port: number;
}) => string;

/** 32 bytes in base64url; anything else is not a challenge. */
const nonceSpelling = /^[\w-]{43}$/;

/**
 * The endpoints about the service itself, by path. All answer GET and HEAD, and all but the operator's state need no
 * key.
 */
export function createServiceEndpoints({
  readiness,
  registry,
  operatorState,
  proveIdentity,
  isOperator,
  enter,
}: Options): ReadonlyMap<string, Handler> {
  const endpoints: readonly [string, Handler][] = [
    [
      "/healthz",
      async (exchange) => {
        enter(exchange, "service");
        sendJson(exchange, 200, { status: "ok" });
      },
    ],
    [
      "/readyz",
      async (exchange) => {
        enter(exchange, "service");
        const [{ ready, checks }, isForOperator] = await Promise.all([readiness(), isOperator(exchange)]);
        const status = ready ? 200 : 503;
        if (isForOperator === undefined && !ready)
          sendJson(exchange, status, { ready, checks: withoutReasons(checks) });
        else sendJson(exchange, status, isForOperator === true ? { ready, checks } : { ready });
      },
    ],
    [
      "/identity",
      async (exchange) => {
        enter(exchange, "service");
        const { request, response, query } = exchange;
        const { localAddress, localPort } = request.socket;
        const nonce = query.get("nonce") ?? "";
        if (proveIdentity === undefined) throw notFound("this server proves nothing about itself");
        if (!nonceSpelling.test(nonce)) throw invalid("nonce must be 32 bytes in base64url");
        if (localAddress === undefined || localPort === undefined) throw unavailable("the connection is being closed");
        const proof = proveIdentity({ nonce, address: localAddress, port: localPort });
        response.writeHead(204, { "drs-proof": proof, "cache-control": "no-store" });
        response.end();
      },
    ],
    [
      "/metrics",
      async (exchange) => {
        enter(exchange, "service");
        const { response } = exchange;
        const body = await registry.metrics();
        response.writeHead(200, { "content-type": registry.contentType, "content-length": Buffer.byteLength(body) });
        response.end(body);
      },
    ],
    [
      "/operator/state",
      async (exchange) => {
        enter(exchange, "service");
        if (operatorState === undefined) throw notFound("this server shows no state");
        const isForOperator = await isOperator(exchange);
        if (isForOperator === undefined) throw unavailable("the key cannot be looked up now; try again in a moment");
        if (!isForOperator) throw refuseStranger(exchange);
        sendJson(exchange, 200, await operatorState());
      },
    ],
    [
      "/v1/openapi.json",
      async (exchange) => {
        enter(exchange, "other");
        sendJson(exchange, 200, { ...(await readOpenApi()), servers: [{ url: exchange.record.baseUrl }] });
      },
    ],
  ];
  return new Map(endpoints.map(([path, handler]) => [path, reading(path, handler)]));
}

/** For a caller who may be an operator: which checks fail, and where to find the reasons. */
function withoutReasons(checks: Readonly<Record<string, string>>): Record<string, string> {
  const failing = Object.entries(checks).filter(([, state]) => state !== "ok");
  return Object.fromEntries(failing.map(([name]) => [name, "not ready; the log says why"]));
}

/** The error for callers without the rights of an operator: it asks for a credential only if they sent none. */
function refuseStranger({ request: { headers } }: Exchange): Error {
  const needed = "a key with the scope admin of the organisation that runs the service";
  const isAnonymous = headers["x-api-key"] === undefined && headers.authorization === undefined;
  return isAnonymous
    ? unauthenticated(`this needs ${needed}: send it as x-api-key`)
    : forbidden(`this needs ${needed}`);
}

async function readOpenApi(): Promise<object> {
  const path = fileURLToPath(import.meta.resolve("@drs/client/gen/openapi.json"));
  const document: unknown = JSON.parse(await readFile(path, "utf8"));
  if (typeof document !== "object" || document === null) throw new Error(`${path} is not an OpenAPI document`);
  return document;
}
