import http from "node:http";
import { type AddressInfo } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAllowedAddresses } from "./allowed-addresses.ts";
import { createRemoteFiles } from "./remote-files.ts";

const limits = { maxBytes: 1000, timeoutMs: 2_000 };
const closed = createRemoteFiles(createAllowedAddresses([]));
const open = createRemoteFiles(createAllowedAddresses(["127.0.0.1"]));

let base: string;
const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
  if (pathname === "/file") response.end("content");
  else if (pathname === "/large") response.end(Buffer.alloc(5_000));
  else if (pathname === "/to") response.writeHead(302, { location: searchParams.get("url") ?? "" }).end();
  else if (pathname === "/loop") response.writeHead(302, { location: "/loop" }).end();
  else if (pathname !== "/silent") response.writeHead(404).end();
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A listening TCP server always has an address with a port.
  const { port } = server.address() as AddressInfo;
  base = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("remote files", () => {
  test("are fetched from allowed addresses, also over a redirect", async () => {
    expect(Buffer.from(await open.fetch(`${base}/file`, limits)).toString()).toBe("content");
    expect(Buffer.from(await open.fetch(`${base}/to?url=/file`, limits)).toString()).toBe("content");
  });

  test.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.64.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://[64:ff9b::7f00:1]/",
  ])("%s is refused", async (url) => {
    await expect(closed.fetch(url, limits)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/not a public address/),
    });
  });

  test("a redirect to a private address is refused", async () => {
    await expect(open.fetch(`${base}/to?url=http://10.0.0.1/`, limits)).rejects.toThrow(
      /10.0.0.1 is not a public address/,
    );
  });

  test.each(["file:///etc/passwd", "ftp://example.org/a", "gopher://x", "nonsense"])(
    "%s is no address to fetch",
    async (url) => {
      await expect(open.fetch(url, limits)).rejects.toMatchObject({ kind: "invalid" });
    },
  );

  test("size, time and redirects are bounded", async () => {
    await expect(open.fetch(`${base}/large`, limits)).rejects.toMatchObject({ kind: "too_large" });
    await expect(open.fetch(`${base}/silent`, { ...limits, timeoutMs: 100 })).rejects.toThrow(
      /did not answer within 0.1 seconds/,
    );
    await expect(open.fetch(`${base}/loop`, limits)).rejects.toThrow(/more than 5 times/);
    await expect(open.fetch(`${base}/nothing`, limits)).rejects.toThrow(/answered 404/);
  });

  test("the caller's signal ends a fetch", async () => {
    const gone = new AbortController();
    const fetching = open.fetch(`${base}/silent`, limits, gone.signal);
    gone.abort(new Error("gone"));
    await expect(fetching).rejects.toThrow("gone");
  });
});

test.each(["not a host", "10.0.0.0/99", "a/b"])("the setting refuses %j", (entry) => {
  expect(() => createAllowedAddresses([entry])).toThrow(/--url-allow/);
});
