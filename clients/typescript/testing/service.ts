import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";

/** A service under test, listening on loopback. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a real Connect server with the given services; `rest` handles paths that begin with /v1/. */
export async function listen(
  routes: (router: ConnectRouter) => void,
  rest: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => response.writeHead(404).end(),
): Promise<Listening> {
  const calls = connectNodeAdapter({ routes });
  const server = createServer((request, response) =>
    (request.url?.startsWith("/v1/") ? rest : calls)(request, response),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closeServer(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the test server has no port");
  return address.port;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
