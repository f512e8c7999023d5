import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Registry } from "prom-client";
import type { Exchange } from "./exchange.ts";
import type { CheckReadiness } from "./health.ts";
import { sendJson } from "./reply.ts";

interface Options {
  readonly readiness: CheckReadiness;
  readonly isDraining: () => boolean;
  readonly registry: Registry;
  /** How others reach the server. */
  readonly baseUrl: () => string;
  readonly instance: string | undefined;
}

type Endpoint = (exchange: Exchange) => Promise<void>;

/** What the service says about itself, by path; all answer GET and HEAD and need no key. */
export function createEndpoints({
  readiness,
  isDraining,
  registry,
  baseUrl,
  instance,
}: Options): ReadonlyMap<string, Endpoint> {
  return new Map<string, Endpoint>([
    ["/healthz", async (exchange) => sendJson(exchange, 200, { status: "ok", instance })],
    [
      "/readyz",
      async (exchange) => {
        const { ready, checks } = isDraining()
          ? { ready: false, checks: { server: "shutting down" } }
          : await readiness();
        sendJson(exchange, ready ? 200 : 503, { ready, checks });
      },
    ],
    [
      "/metrics",
      async ({ response }) => {
        const body = await registry.metrics();
        response.writeHead(200, { "content-type": registry.contentType, "content-length": Buffer.byteLength(body) });
        response.end(body);
      },
    ],
    [
      "/v1/openapi.json",
      async (exchange) => {
        sendJson(exchange, 200, { ...(await readOpenApi()), servers: [{ url: baseUrl() }] });
      },
    ],
    [
      "/",
      async ({ response }) => {
        response.writeHead(302, { location: "/docs" });
        response.end();
      },
    ],
  ]);
}

async function readOpenApi(): Promise<object> {
  const path = fileURLToPath(import.meta.resolve("@drs/client/gen/openapi.json"));
  const document: unknown = JSON.parse(await readFile(path, "utf8"));
  if (typeof document !== "object" || document === null) throw new Error(`${path} is not an OpenAPI document`);
  return document;
}
