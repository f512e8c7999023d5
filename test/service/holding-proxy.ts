import { once } from "node:events";
import { createServer, request as requestOf } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that holds requests back, as if their sender had been stopped just before it sent them. */
export interface HoldingProxy {
  readonly url: string;
  /** The received requests, such as `PUT /path`. */
  readonly lines: readonly string[];
  /** Holds the next request whose line `isTarget`, and passes all others on. */
  hold(isTarget: (line: string) => boolean): HeldRequest;
  close(): Promise<void>;
}

export interface HeldRequest {
  /** Resolves when the request has come. */
  readonly held: Promise<void>;
  /** Lets it go on; none is held if it has not come yet. */
  release(): void;
}

export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const waiting: { readonly isTarget: (line: string) => boolean; readonly come: () => Promise<void> }[] = [];
  const lines: string[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    const line = `${method} ${url}`;
    lines.push(line);
    const pass = (): void => {
      const onward = requestOf(new URL(url, target), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      request.pipe(onward);
    };
    const at = waiting.findIndex(({ isTarget }) => isTarget(line));
    const [meant] = at < 0 ? [] : waiting.splice(at, 1);
    if (meant === undefined) pass();
    else void meant.come().then(pass);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    hold(isTarget) {
      const come = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const one = {
        isTarget,
        come() {
          come.resolve();
          return released.promise;
        },
      };
      waiting.push(one);
      return {
        held: come.promise,
        release() {
          released.resolve();
          if (waiting.includes(one)) waiting.splice(waiting.indexOf(one), 1);
        },
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
