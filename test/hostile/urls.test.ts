import { createAllowedAddresses } from "../../server/remote/allowed-addresses.ts";
import { createRemoteFiles } from "../../server/remote/remote-files.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { file, type FileServer, redirect, startFileServer } from "../fixtures/file-server.ts";
import { makePdf } from "../fixtures/pdf.ts";
import { startServer, type TestServer } from "../service/start.ts";

const limits = { maxBytes: 100_000, answerMs: 5_000, silenceMs: 5_000, totalMs: 5_000 };

const notPublic: readonly string[] = [
  // This machine, in every way to write it.
  "http://127.0.0.1:8080/",
  "http://127.0.0.1.:8080/",
  "http://127.1:8080/",
  "http://127.0.1:8080/",
  "http://127.255.255.254:8080/",
  "http://2130706433:8080/",
  "http://017700000001:8080/",
  "http://0x7f000001:8080/",
  "http://0x7f.0.0.1:8080/",
  "http://0177.0.0.1:8080/",
  "http://0X7F.00.0x0.01:8080/",
  "http://%31%32%37.0.0.1:8080/",
  "http://１２７.０.０.１:8080/",
  "http://①②⑦.⓪.⓪.①:8080/",
  "http://127。0。0。1:8080/",
  "http:127.0.0.1:8080",
  "http:\\\\127.0.0.1:8080\\",
  "http:///127.0.0.1:8080/",
  "http://127.0.0.1:8080\\@example.org/",
  "http://127.0.0.1:8080#@example.org/",
  "http://127.0.0.1:8080?@example.org/",
  "http://0:8080/",
  "http://0.0.0.0:8080/",
  "http://localhost:8080/",
  "http://localhost.:8080/",
  "http://LOCALHOST:8080/",
  "http://ｌｏｃａｌｈｏｓｔ:8080/",
  "http://localhoſt:8080/",
  "http://loc\u00ADalhost:8080/",
  "http://files.localhost:8080/",
  "http://[::1]:8080/",
  "http://[0:0:0:0:0:0:0:1]:8080/",
  "http://[::]:8080/",
  // IPv4 in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
  "http://[::ffff:127.0.0.1]:8080/",
  "http://[::ffff:7f00:1]:8080/",
  "http://[::127.0.0.1]:8080/",
  "http://[::ffff:0:127.0.0.1]:8080/",
  "http://[64:ff9b::7f00:1]:8080/",
  "http://[64:ff9b:1::7f00:1]:8080/",
  "http://[2002:7f00:1::]:8080/",
  "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:8080/",
  // Other machines of the private network.
  "http://10.1.2.3/",
  "http://172.16.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://168.63.129.16/metadata",
  "http://100.100.100.200/latest/meta-data/",
  "http://192.0.0.192/opc/v2/",
  "http://198.18.0.1/",
  "http://203.0.113.7/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "http://[fe80::1]/",
  "http://[fec0::1]/",
  "http://[fd00:ec2::254]/latest/meta-data/",
  "http://[ff02::1]/",
  "http://[100::1]/",
  "http://[2001:db8::1]/",
  "http://[3fff::1]/",
];

const noAddress: readonly [string, RegExp][] = [
  ["nonsense", /not a URL/],
  ["//127.0.0.1:8080/", /not a URL/],
  ["http://", /not a URL/],
  ["http://:8080/", /not a URL/],
  ["http://[fe80::1%25eth0]/", /not a URL/],
  ["http://[::1", /not a URL/],
  ["http://256.256.256.256/", /not a URL/],
  ["http://127.0.0.1:99999/", /not a URL/],
  ["http://a b/", /not a URL/],
  ["http://exa\tmple.org/", /not a URL/],
  ["http://example.org/\r\nHost: 127.0.0.1", /not a URL/],
  ["\u0000http://example.org/", /not a URL/],
  ["file:///etc/passwd", /not file/],
  ["file://127.0.0.1/etc/passwd", /not file/],
  ["ftp://example.org/a.pdf", /not ftp/],
  ["gopher://example.org:6379/_FLUSHALL", /not gopher/],
  ["data:application/pdf;base64,JVBERi0=", /not data/],
  ["unix:/var/run/docker.sock", /not unix/],
  ["blob:http://example.org/1", /not blob/],
  ["javascript:alert(1)", /not javascript/],
  ["ws://example.org/", /not ws/],
  ["http://public@127.0.0.1:8080/", /user name or password/],
  ["http://example.org:80@127.0.0.1:8080/", /user name or password/],
  ["http://user:secret@example.org/a.pdf", /user name or password/],
  ["http://1.1.1.1 &@127.0.0.1:8080# @example.org/", /user name or password/],
  ["http://example.org:22/", /port 22/],
  ["http://example.org:25/", /port 25/],
  ["http://example.org:0/", /port 0/],
  [`http://${"a.".repeat(200)}example/`, /too long/],
  [`http://example.org/${"a".repeat(8192)}`, /longer than|8192/],
];

const forbidden = [...notPublic.map((url): [string, RegExp] => [url, /not a public address/]), ...noAddress];
const shown = (url: string): string => JSON.stringify(url.slice(0, 80));

/** The same form with the port of a file server, so that what gets through is seen there. */
const aimedAt = (server: FileServer, url: string): string => url.replace(":8080", `:${new URL(server.url).port}`);

describe("a fetch is refused without a connection", () => {
  let server: FileServer;
  const closed = createRemoteFiles(createAllowedAddresses([]));
  const aimed = (url: string): string => aimedAt(server, url);

  beforeAll(async () => {
    server = await startFileServer({ "/": file(makePdf({ pages: [{ text: "private" }] })), "/to": redirect });
  });
  afterAll(() => server.close());

  test.each(forbidden.map(([url, message]) => [shown(url), url, message] as const))("%s", async (_, url, message) => {
    const failure = { kind: "invalid", message: expect.stringMatching(message) };
    expect(() => closed.parse(aimed(url))).toThrow(expect.objectContaining(failure));
    await expect(closed.open(aimed(url), limits)).rejects.toMatchObject(failure);
    expect(server.requests).toEqual([]);
  });

  test.each<[string, string[]]>([
    ["this machine", ["127.0.0.1"]],
    ["this machine over IPv6", ["::1"]],
    ["this machine, mapped", ["::ffff:127.0.0.1"]],
    ["a translated private address", ["64:ff9b::a00:1"]],
    ["a link-local address with its zone", ["fe80::1%lo"]],
    ["the metadata service", ["169.254.169.254"]],
    ["a unique local address", ["fd12::1"]],
    ["a carrier's network", ["100.64.0.1"]],
    ["a public address and this machine", ["93.184.216.34", "127.0.0.1"]],
    ["this machine and a public address", ["127.0.0.1", "93.184.216.34"]],
    ["what is no address", ["not-an-address"]],
  ])("a name that leads to %s", async (_, addresses) => {
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const files = createRemoteFiles(createAllowedAddresses([]), () => Promise.resolve(found));
    await expect(files.open(aimed("http://files.example:8080/"), limits)).rejects.toMatchObject({
      kind: "invalid",
      message: "files.example is not a public address; the operator can allow it with --url-allow",
    });
    expect(server.requests).toEqual([]);
  });
});

describe("a redirect is refused like the address itself", () => {
  let server: FileServer;
  let start: string;
  // The exception for one name stands for the public: tests talk to this machine only.
  const here = [{ address: "127.0.0.1", family: 4 }];
  const files = createRemoteFiles(createAllowedAddresses(["files.example"]), () => Promise.resolve(here));

  beforeAll(async () => {
    server = await startFileServer({ "/": file(Buffer.from("private")), "/to": redirect });
    start = server.url.replace("127.0.0.1", "files.example");
  });
  afterAll(() => server.close());

  test.each(forbidden.map(([url]) => [shown(url), url] as const))("to %s", async (_, url) => {
    const opening = files.open(`${start}/to?to=${encodeURIComponent(aimedAt(server, url))}`, limits);
    await expect(opening).rejects.toMatchObject({ kind: "invalid" });
    expect(server.requests.at(-1)?.url).not.toBe("/");
  });

  test("to a name that leads elsewhere the second time", async () => {
    const answers = ["127.0.0.1", "127.0.0.9"];
    const asked: string[] = [];
    const rebound = createRemoteFiles(createAllowedAddresses(["127.0.0.1"]), (host) => {
      asked.push(host);
      return Promise.resolve([{ address: answers[asked.length - 1] ?? "127.0.0.9", family: 4 }]);
    });
    const name = server.url.replace("127.0.0.1", "rebound.example");
    const before = server.requests.length;
    // One look-up per connection: there is none between the check and the connection that could say something else.
    await rebound.open(`${name}/`, limits);
    expect(asked).toEqual(["rebound.example"]);
    asked.length = 0;
    await expect(rebound.open(`${name}/to?to=${encodeURIComponent(`${name}/`)}`, limits)).rejects.toThrow(
      /rebound\.example is not a public address/,
    );
    expect(asked).toEqual(["rebound.example", "rebound.example"]);
    expect(server.requests.length - before).toBe(2);
  });
});

describe("the service refuses", () => {
  let service: TestServer;
  let server: FileServer;

  beforeAll(async () => {
    server = await startFileServer({ "/": file(makePdf({ pages: [{ text: "private" }] })) });
    service = await startServer();
  });
  afterAll(async () => {
    await service.remove();
    await server.close();
  });

  test("every one of these addresses at once, stores nothing and repeats no secret", async () => {
    const { url, credentials } = service;
    for (const [address] of forbidden) {
      const aimed = aimedAt(server, address);
      const response = await fetch(`${url}/v1/vectorize`, {
        method: "POST",
        headers: { "x-api-key": credentials.apiKey, "content-type": "application/json" },
        body: JSON.stringify({ url: aimed }),
      });
      const text = await response.text();
      expect([shown(address), response.status, text]).toEqual([shown(address), 400, expect.stringContaining("error")]);
      expect(text).not.toMatch(/secret|etc\/passwd|meta-data/);
    }
    const listed = await fetch(`${url}/v1/datasets`, { headers: { "x-api-key": credentials.apiKey } });
    expect(await listed.json()).toMatchObject({ total: 0 });
    expect(server.requests).toEqual([]);
    expect(forbidden.length).toBeGreaterThanOrEqual(80);
  });
});
