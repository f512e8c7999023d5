import { once } from "node:events";
import { Agent, createServer, request as requestOf, type IncomingMessage, type ServerResponse } from "node:http";

/** Requests by kind and place, such as `GET blobs/originals`. */
export type RequestCounts = ReadonlyMap<string, number>;

/** A proxy before an S3 server that counts requests. */
export interface S3Counter {
  readonly url: string;
  counts(): RequestCounts;
  close(): Promise<void>;
}

/** Starts the proxy. It forwards the host header unchanged, because signatures contain it. */
export async function countS3Requests(target: string, bucket: string): Promise<S3Counter> {
  const counts = new Map<string, number>();
  const agent = new Agent({ keepAlive: true });
  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url = "", headers } = incoming;
    const kind = kindOf(method, new URL(url, target), bucket);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const forwarded = requestOf(new URL(url, target), { method, headers, agent });
    incoming.pipe(forwarded);
    const [answer]: IncomingMessage[] = await once(forwarded, "response");
    if (answer === undefined) throw new Error("a response without a message");
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  };
  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    counts: () => new Map(counts),
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

/** Returns the requests since `before`. */
export function requestsSince(before: RequestCounts, now: RequestCounts): RequestCounts {
  return new Map(
    [...now].flatMap(([kind, count]): [string, number][] => {
      const more = count - (before.get(kind) ?? 0);
      return more > 0 ? [[kind, more]] : [];
    }),
  );
}

/** Returns the kind of an S3 operation as it is priced: list, read, head, write or delete. */
function kindOf(method: string, url: URL, bucket: string): string {
  const { searchParams } = url;
  const key = decodeURIComponent(url.pathname).slice(`/${bucket}/`.length) || (searchParams.get("prefix") ?? "");
  // Deletes several objects, whose keys are in the body.
  if (method === "POST" && searchParams.has("delete")) return "POST delete";
  const isList = method === "GET" && (searchParams.has("list-type") || searchParams.has("prefix"));
  return `${isList ? "LIST" : method} ${placeOf(key)}`;
}

/** Returns a place such as `blobs/originals`; for vectors, without the table. */
function placeOf(key: string): string {
  const vectors = /(?:^|\/)vectors(?:\/|$)/.test(key);
  if (vectors) return "vectors";
  return /blobs\/(?:blobs\/)?([a-z]+)/.exec(key)?.[1] ?? "blobs";
}
