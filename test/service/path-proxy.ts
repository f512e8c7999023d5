import { createServer, request as requestHttp } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that has a server below a path of its own address. */
export interface PathProxy {
  /** With the path, without a slash at its end. */
  readonly url: string;
  /** Passes requests on from now on. */
  lead(target: URL): void;
  close(): Promise<void>;
}

export async function startPathProxy(path: string): Promise<PathProxy> {
  let target: URL | undefined;
  const proxy = createServer((request, response) => {
    const { url = "", method, headers } = request;
    if (target === undefined || !url.startsWith(`${path}/`)) {
      response.writeHead(404).end();
      return;
    }
    const onward = requestHttp(new URL(url.slice(path.length), target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`,
    lead(to) {
      target = to;
    },
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
