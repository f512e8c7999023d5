import { once } from "node:events";
import { createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/**
 * The faults of an answer: the connection is cut before it or after half of it, another status replaces it, or nothing happens.
 */
export type AnswerFault = "cut" | "half" | number | undefined;

/** A proxy that spoils a server's answers: the server has done what it was asked for, and its client does not know. */
export interface FaultyProxy {
  readonly url: string;
  /** Requests that came, as `POST /path`, with their idempotency keys. */
  readonly requests: readonly { readonly line: string; readonly key: string | undefined }[];
  close(): Promise<void>;
}

/** `fault` says what becomes of the answer to the nth request (from 1) of a line. */
export async function startFaultyProxy(
  target: string,
  fault: (line: string, nth: number) => AnswerFault,
): Promise<FaultyProxy> {
  const requests: { line: string; key: string | undefined }[] = [];

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const line = `${method} ${url}`;
    requests.push({ line, key: headers["idempotency-key"]?.toString() });
    const nth = requests.filter((each) => each.line === line).length;
    const forwarded = requestOf(new URL(url, target), { method, headers });
    request.pipe(forwarded);
    const [answer] = (await once(forwarded, "response")) as [IncomingMessage];
    // All of it: by then the server is done.
    const body = await buffer(answer);
    const met = fault(line, nth);
    if (met === "cut") request.socket.destroy();
    else if (met === "half") {
      const half = body.subarray(0, body.length / 2);
      response.writeHead(answer.statusCode ?? 502, answer.headers).write(half, () => request.socket.destroy());
    } else if (met === undefined) response.writeHead(answer.statusCode ?? 502, answer.headers).end(body);
    else response.writeHead(met, { "content-type": "text/html" }).end("<h1>not today</h1>");
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
