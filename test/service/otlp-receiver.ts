import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { fromJson, fromProtobuf, type SentSpan } from "./otlp-spans.ts";

/** Receives spans by OTLP over HTTP on this machine. */
export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: readonly SentSpan[];
  /** All bodies, as they came. */
  readonly bodies: readonly Buffer[];
  readonly headers: readonly IncomingHttpHeaders[];
  readonly paths: readonly string[];
  close(): Promise<void>;
}

export interface ReceiverOptions {
  /** `refuses` answers 400; `silent` never answers. */
  readonly behaviour?: "takes" | "refuses" | "silent";
}

export async function startReceiver({ behaviour = "takes" }: ReceiverOptions = {}): Promise<OtlpReceiver> {
  const spans: SentSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const paths: string[] = [];
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    bodies.push(body);
    headers.push(request.headers);
    paths.push(`${request.method} ${request.url}`);
    if (behaviour === "silent") return;
    if (behaviour === "takes") {
      spans.push(...(request.headers["content-type"] === "application/json" ? fromJson(body) : fromProtobuf(body)));
    }
    response.writeHead(behaviour === "takes" ? 200 : 400).end();
  }
  const server = createServer((request, response) => {
    receive(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers,
    paths,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
