import { once } from "node:events";
import net from "node:net";

/** A proxy before a server that counts what clients send. */
export interface CountingProxy {
  readonly url: string;
  /** Bytes from clients so far, with all that belongs to their requests. */
  sentBytes(): number;
  /** Resolves as soon as so many have come. */
  reached(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** Passes bytes on in both directions; a server that is away is so for its clients too. */
export async function startCountingProxy(target: URL): Promise<CountingProxy> {
  const sockets = new Set<net.Socket>();
  const waiting = new Map<PromiseWithResolvers<void>, number>();
  let sent = 0;
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(target.port), target.hostname);
    client.on("data", (chunk) => {
      sent += chunk.length;
      for (const [wish, bytes] of waiting) {
        if (sent < bytes) continue;
        waiting.delete(wish);
        wish.resolve();
      }
    });
    client.pipe(upstream);
    upstream.pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      // An error of one side is passed on to the other.
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    sentBytes: () => sent,
    async reached(bytes) {
      if (sent >= bytes) return;
      const wish = Promise.withResolvers<void>();
      waiting.set(wish, bytes);
      await wish.promise;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
