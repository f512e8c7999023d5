import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Registry } from "prom-client";
import type { Readiness } from "../transport/rpc/protocol-services.ts";

/** The health server of a process without an API. */
export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Options {
  readonly host: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
}

/** Enough for monitoring, which opens few connections. */
const maxConnections = 64;
const requestTimeoutMs = 10_000;

/**
 * Answers `/healthz`, `/readyz` with its checks, and `/metrics`. It needs no key, so only monitoring should reach the port.
 * Throws if the port is taken.
 */
export async function startHealthServer({ host, port, readiness, registry }: Options): Promise<HealthServer> {
  async function answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(url ?? "", "http://localhost").pathname;
    if (method !== "GET" && method !== "HEAD") return send(response, 405, "this is read with GET or HEAD\n");
    if (path === "/healthz") return sendJson(response, 200, { status: "ok" });
    if (path === "/readyz") {
      const state = await readiness();
      return sendJson(response, state.ready ? 200 : 503, state);
    }
    if (path === "/metrics") return send(response, 200, await registry.metrics(), registry.contentType);
    send(response, 404, "there are /healthz, /readyz and /metrics\n");
  }

  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = maxConnections;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the health server has no port");
  const named = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    url: `http://${named}:${address.port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

const sendJson = (response: ServerResponse, status: number, value: object): void =>
  send(response, status, `${JSON.stringify(value)}\n`, "application/json");

function send(response: ServerResponse, status: number, body: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  });
  response.end(body);
}
