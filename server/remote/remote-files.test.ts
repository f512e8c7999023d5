import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endless, file, type FileServer, redirect, stalled, startFileServer } from "../../test/fixtures/file-server.ts";
import type { RemoteLimits } from "../domain/ports/remote.ts";
import { createAllowedAddresses } from "./allowed-addresses.ts";
import { createRemoteFiles, remoteFileName } from "./remote-files.ts";

const allowing = createRemoteFiles(createAllowedAddresses(["127.0.0.1"]));
const content = Buffer.from("content");
const limits: RemoteLimits = { maxBytes: 1_000, answerMs: 5_000, silenceMs: 5_000, totalMs: 5_000 };
const whole = { maxBytes: 1_000, timeoutMs: 5_000 };

let server: FileServer;
beforeAll(async () => {
  let attempts = 0;
  server = await startFileServer({
    "/file.pdf": file(content),
    [encodeURI("/Übersicht.pdf")]: file(content),
    "/named": file(content, { "content-disposition": "attachment; filename*=UTF-8''%C3%9Cbersicht.pdf" }),
    "/unsized.pdf": (response) => void response.write("con", () => response.end("tent")),
    "/large": file(Buffer.alloc(5_000)),
    "/endless": endless(content),
    "/to": redirect,
    "/loop": (response) => void response.writeHead(302, { location: `/loop?${++attempts}` }).end(),
    "/silent": () => undefined,
    "/stalled": stalled(content),
    "/compressed": file(content, { "content-encoding": "gzip" }),
    "/short": (response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write(content, () => response.destroy());
    },
    "/garbled": (_, { socket }) => void socket.end("what is it?\r\n\r\n"),
    "/status": (response, _, query) => void response.writeHead(Number(query.get("is"))).end("not it"),
  });
});
afterAll(() => server.close());

async function read(path: string, given: Partial<RemoteLimits> = {}, signal?: AbortSignal): Promise<string> {
  const { body } = await allowing.open(server.url + path, { ...limits, ...given }, signal);
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

describe("remote files", () => {
  test("come with the other side's name and size", async () => {
    const { fileName, size, body } = await allowing.open(`${server.url}/file.pdf`, limits);
    expect([fileName, size]).toEqual(["file.pdf", 7]);
    expect(Buffer.concat(await Array.fromAsync(body))).toEqual(content);
    expect((await allowing.open(`${server.url}/named`, limits)).fileName).toBe("Übersicht.pdf");
    expect((await allowing.open(`${server.url}/unsized.pdf`, limits)).size).toBeUndefined();
    expect(await read("/unsized.pdf")).toBe("content");
    expect(await read("/to?to=/file.pdf")).toBe("content");
    expect(await read("/to?to=/Übersicht.pdf")).toBe("content");
    expect(Buffer.from(await allowing.fetch(`${server.url}/file.pdf`, whole))).toEqual(content);
  });

  test("are requested unencoded, over a connection of their own, without anything that identifies the caller", async () => {
    await read("/file.pdf");
    const headers = server.requests.at(-1)?.headers;
    expect(headers).toEqual({
      host: new URL(server.url).host,
      accept: "*/*",
      "accept-encoding": "identity",
      "user-agent": "drs",
      connection: "close",
    });
  });

  test.each([
    ["/status?is=404", "invalid", /answered 404 instead of the file; check/],
    ["/status?is=403", "invalid", /answered 403.*without signing in/],
    ["/status?is=204", "invalid", /answered 204/],
    ["/status?is=304", "invalid", /answered 304/],
    ["/status?is=500", "unavailable", /answered 500.*later/],
    ["/status?is=429", "unavailable", /answered 429.*later/],
    ["/short", "unavailable", /lost before the end/],
    ["/garbled", "invalid", /does not speak HTTP/],
    ["/compressed", "invalid", /only in the encoding "gzip"/],
    ["/large", "too_large", /more than 0 MB/],
    ["/endless", "too_large", /more than 0 MB/],
    ["/loop", "invalid", /redirects more than 5 times/],
    ["/to?to=http://10.0.0.1/", "invalid", /10\.0\.0\.1 is not a public address/],
    ["/to?to=http://name:pass@127.0.0.1/", "invalid", /user name or password/],
    ["/to?to=file:///etc/passwd", "invalid", /only http and https/],
    ["/to?to=http://[", "invalid", /not a URL/],
  ])("%s fails as %s", async (path, kind, message) => {
    const failure = { kind, message: expect.stringMatching(message) };
    await expect(read(path)).rejects.toMatchObject(failure);
    // A caller that waits for the whole file is not asked to try again.
    const kindOfWhole = kind === "unavailable" ? "invalid" : kind;
    await expect(allowing.fetch(server.url + path, whole)).rejects.toMatchObject({ ...failure, kind: kindOfWhole });
  });

  test("a closed port may be tried again, an unknown name not", async () => {
    const gone = await startFileServer({});
    await gone.close();
    await expect(allowing.open(gone.url, limits)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/refused/),
    });
    const unknown = Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
    const lost = createRemoteFiles(createAllowedAddresses([]), () => Promise.reject(unknown));
    await expect(lost.open("http://nowhere.example/", limits)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringMatching(/^nowhere\.example.*not known/),
    });
  });

  test.each([
    ["/silent", { answerMs: 100 }, /did not answer within 0\.1 seconds/],
    ["/stalled", { silenceMs: 100 }, /sent nothing within 0\.1 seconds/],
    ["/stalled", { totalMs: 100 }, /did not send the whole file within 0\.1 seconds/],
  ])("%s fails when %j is over", async (path, given, message) => {
    await expect(read(path, given)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(message),
    });
  });

  test("the reader's time does not count as silence", async () => {
    const { body } = await allowing.open(`${server.url}/unsized.pdf`, { ...limits, silenceMs: 1_000 });
    let text = "";
    for await (const piece of body) {
      text += Buffer.from(piece).toString();
      await sleep(1_100);
    }
    expect(text).toBe("content");
  });

  test.each(["/silent", "/stalled", "/endless"])("the caller's signal ends %s, with its connection", async (path) => {
    const gone = new AbortController();
    const reading = read(path, { maxBytes: Number.MAX_SAFE_INTEGER }, gone.signal);
    const before = server.requests.length;
    await expect.poll(() => server.requests.length).toBeGreaterThan(before);
    gone.abort(new Error("gone"));
    await expect(reading).rejects.toThrow("gone");
    await expect.poll(() => server.connections()).toBe(0);
  });

  test("a reader that stops early closes the connection", async () => {
    const { body } = await allowing.open(`${server.url}/endless`, { ...limits, maxBytes: 2 ** 30 });
    for await (const piece of body) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    await expect.poll(() => server.connections()).toBe(0);
  });
});

test.each(["not a host", "10.0.0.0/99", "a/b"])("the setting refuses %j", (entry) => {
  expect(() => createAllowedAddresses([entry])).toThrow(/--url-allow/);
});

const way = (...addresses: string[]): URL[] => addresses.map((address) => new URL(address));

test.each([
  ['attachment; filename="plan.pdf"', "plan.pdf"],
  ["attachment; filename=plan.pdf", "plan.pdf"],
  ["attachment; filename*=UTF-8''%e2%82%ac%20rates.pdf; filename=\"EURO rates\"", "€ rates.pdf"],
  ["attachment; filename=\"EURO rates\"; filename*=utf-8'en'%e2%82%ac%20rates.pdf", "€ rates.pdf"],
  // As many servers send it, against the standard: UTF-8, which arrives as Latin-1.
  [Buffer.from('attachment; filename="文書.pdf"').toString("latin1"), "文書.pdf"],
  ['attachment; filename="r\xe9sum\xe9.pdf"', "r\xe9sum\xe9.pdf"],
  [String.raw`attachment; filename="a \"b\".pdf"`, 'a "b".pdf'],
  ["attachment", "file.pdf"],
  ["inline; filename=", "file.pdf"],
  [';;;="', "file.pdf"],
  [undefined, "file.pdf"],
])("Content-Disposition %j names it %j", (header, name) => {
  expect(remoteFileName(header, way("https://example.org/file.pdf?x=1#y"))).toBe(name);
});

test("the last URL with an extension names it, else the last one", () => {
  const name = (...addresses: string[]): string => remoteFileName(undefined, way(...addresses));
  expect(name("https://example.org/download", "https://cdn.example.org/a/plan%20b.pdf")).toBe("plan b.pdf");
  expect(name("https://example.org/plan.pdf", "https://cdn.example.org/8f3e")).toBe("plan.pdf");
  expect(name("https://example.org/download", "https://cdn.example.org/8f3e")).toBe("8f3e");
  expect(name("https://example.org/")).toBe("");
  expect(name("https://example.org/100%.pdf")).toBe("100%.pdf");
});
