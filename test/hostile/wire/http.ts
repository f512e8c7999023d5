import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import net from "node:net";
import { buffer } from "node:stream/consumers";

/** A request as it is sent over the wire, valid or not. */
export interface HttpRequest {
  readonly version: 1 | 2;
  readonly verb: string;
  /** With the query; sent as it is. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer as it came over the wire. Names of headers are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly trailers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Connections to one server, kept open between requests. */
export interface Connections {
  /** Throws if the connection breaks before the answer is complete, or if that takes longer than the limit. */
  send(request: HttpRequest, limitMs?: number): Promise<HttpAnswer>;
  close(): void;
}

/** Far longer than any answer takes on a busy machine: only a hang lasts so long. */
const defaultLimitMs = 40_000;

/** Fewer than the failed attempts that one address has in a minute. */
const requestsPerAddress = 40;

/**
 * `roams`: calls from ever new addresses of the machine's own network, of which Linux answers on all, as an attacker does
 * to evade limits by address.
 */
export function openConnections(url: string, { roams = false } = {}): Connections {
  const { hostname, port } = new URL(url);
  const agents: http.Agent[] = [];
  const sessions: http2.ClientHttp2Session[] = [];
  const sent = { overHttp1: 0, overHttp2: 0 };
  const addressOf = (network: number, count: number): { localAddress?: string } => {
    const place = Math.floor(count / requestsPerAddress);
    return roams ? { localAddress: `127.${network}.${(place >> 8) & 255}.${place & 255}` } : {};
  };
  const isPlaceNew = (count: number): boolean => count === 0 || (roams && count % requestsPerAddress === 0);

  function agentNow(): http.Agent {
    const last = agents.at(-1);
    if (last !== undefined && !isPlaceNew(sent.overHttp1)) return last;
    // Kept connections of places that were left would be too many for the server.
    const agent = new http.Agent({ keepAlive: !roams, ...addressOf(1, sent.overHttp1) });
    agents.push(agent);
    return agent;
  }
  function sessionNow(): http2.ClientHttp2Session {
    const last = sessions.at(-1);
    if (last !== undefined && !isPlaceNew(sent.overHttp2) && !last.closed && !last.destroyed) return last;
    const socket = net.connect({ host: hostname, port: Number(port), ...addressOf(2, sent.overHttp2) });
    const session = http2.connect(url, { createConnection: () => socket });
    // Each of its requests says so as well.
    session.on("error", () => undefined);
    sessions.push(session);
    return session;
  }

  return {
    async send(request, limitMs = defaultLimitMs) {
      const signal = AbortSignal.timeout(limitMs);
      if (request.version === 1) {
        const agent = agentNow();
        sent.overHttp1 += 1;
        return sendHttp1(url, agent, request, signal);
      }
      const session = sessionNow();
      sent.overHttp2 += 1;
      return sendHttp2(session, request, signal);
    },
    close() {
      for (const agent of agents) agent.destroy();
      for (const session of sessions) session.destroy();
    },
  };
}

async function sendHttp1(
  url: string,
  agent: http.Agent,
  { verb, path, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { hostname, port } = new URL(url);
  const request = http.request({ agent, hostname, port, method: verb, path, headers, signal });
  const answered = once(request, "response", { signal });
  // An answer may come before the request is complete; errors after it do not matter.
  request.on("error", () => undefined);
  request.end(body);
  const [response] = (await answered) as [http.IncomingMessage];
  const bytes = await buffer(response);
  return {
    status: response.statusCode ?? 0,
    headers: singleValues(response.headers),
    trailers: singleValues(response.trailers),
    body: bytes,
  };
}

async function sendHttp2(
  session: http2.ClientHttp2Session,
  { verb, path, headers, body }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const endStream = body.length === 0;
  const stream = session.request({ ":method": verb, ":path": path, ...headers }, { signal, endStream });
  let trailers: Readonly<Record<string, string>> = {};
  stream.on("trailers", (given: http2.IncomingHttpHeaders) => (trailers = singleValues(given)));
  const answered = Promise.race([
    once(stream, "response", { signal }),
    once(stream, "close", { signal }).then(() => Promise.reject(new Error("the stream was closed without an answer"))),
  ]);
  stream.on("error", () => undefined);
  if (!endStream) stream.end(body);
  const [given] = (await answered) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
  const bytes = await buffer(stream);
  return { status: given[":status"] ?? 0, headers: singleValues(given), trailers, body: bytes };
}

function singleValues(headers: http.IncomingHttpHeaders | http2.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
