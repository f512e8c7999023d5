import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createListener, type Listener } from "./listener.ts";

let listener: Listener;
let port: number;
let handled: string[];
beforeEach(async () => {
  handled = [];
  listener = createListener(
    (request, response) => {
      handled.push(`${request.httpVersion} ${request.method} ${request.url}`);
      if (request.url === "/hang") return;
      if (request.url === "/refuse") {
        response.end("no");
        return;
      }
      let size = 0;
      request.on("data", (chunk: Buffer) => (size += chunk.length));
      request.on("end", () => setTimeout(() => response.end(`${size} bytes`), request.url === "/slow" ? 300 : 0));
    },
    pino({ level: "silent" }),
  );
  ({ port } = await listener.listen("127.0.0.1", 0));
});
afterEach(() => listener.close(0));

/** Sends the pieces one by one over one connection, and returns the whole answer. */
async function talk(...pieces: string[]): Promise<string> {
  const socket = net.connect({ port, host: "127.0.0.1", noDelay: true });
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    await sleep(20);
  }
  await closed;
  return answer;
}

async function ask(session: http2.ClientHttp2Session, path: string, body?: Buffer): Promise<string> {
  const stream = session.request({ ":path": path, ":method": body === undefined ? "GET" : "POST" });
  stream.end(body);
  let answer = "";
  for await (const chunk of stream) answer += String(chunk);
  return answer;
}

describe("one port", () => {
  test("serves HTTP/1.1 and HTTP/2 side by side", async () => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const [one, other] = await Promise.all([
      ask(session, "/two", Buffer.alloc(3_000_000)),
      talk("GET /one HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
    ]);
    expect([one, other.split("\r\n").at(0)]).toEqual(["3000000 bytes", "HTTP/1.1 200 OK"]);
    expect(handled.toSorted()).toEqual(["1.1 GET /one", "2.0 POST /two"]);
    session.close();
  });

  test("distinguishes them even if the first bytes come one by one", async () => {
    const request = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    expect(await talk("P", "O", "S", request.slice(3, 60), request.slice(60))).toContain("5 bytes");
    expect(await talk("PR", "OPFIND / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toContain("200 OK");
    const socket = net.connect(port, "127.0.0.1");
    const answered = once(socket, "data");
    for (const piece of ["P", "R", "I * HTTP/2.0\r\n", "\r\nSM\r\n\r\n", "\0\0\0\x04\0\0\0\0\0"]) {
      socket.write(piece);
      await sleep(20);
    }
    // The first frame of an HTTP/2 server is SETTINGS (type 4).
    const [frame] = await answered;
    expect(Buffer.from(frame)[3]).toBe(4);
    socket.destroy();
  });

  test("takes several requests over one connection", async () => {
    const answer = await talk(
      "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    expect(answer.match(/200 OK/g)).toHaveLength(3);
  });

  test("survives input that is not HTTP, and connections that end before they begin", async () => {
    expect(await talk("\x16\x03\x01\x02\x00 hello")).toMatch(/^HTTP\/1\.1 400/);
    expect(await talk(`GET / HTTP/1.1\r\nHost: x\r\nLong: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431/);
    await talk("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nthis is no frame at all".padEnd(2000, "!"));
    for (const first of ["", "P", "PRI", "GET /"]) {
      const socket = net.connect(port, "127.0.0.1");
      await once(socket, "connect");
      if (first !== "") socket.write(first);
      await sleep(20);
      socket.resetAndDestroy();
    }
    expect(await talk("GET /fine HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).toContain("200 OK");
  });
});

test("an answer before the request is complete arrives, and the connection is not kept for ever", async () => {
  const socket = net.connect(port, "127.0.0.1");
  socket.write("POST /refuse HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n");
  const sending = setInterval(() => socket.write(Buffer.alloc(65_536)), 5);
  socket.on("error", () => undefined);
  // The end may be a reset, at which `once` would reject.
  const closed = new Promise((resolve) => socket.once("close", resolve));
  const [answer] = await once(socket, "data");
  expect(String(answer)).toContain("no");
  await closed;
  clearInterval(sending);
});

describe("closing", () => {
  test("lets running requests end and closes idle connections at once", async () => {
    const idle = net.connect(port, "127.0.0.1");
    idle.write("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
    await once(idle, "data");
    const silent = net.connect(port, "127.0.0.1");
    await once(silent, "connect");
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const slow = [ask(session, "/slow"), talk("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")];
    await expect.poll(() => handled).toHaveLength(3);
    silent.on("error", () => undefined);
    const bothClosed = Promise.all([once(idle, "close"), once(silent, "close")]);
    const closing = listener.close(60_000);
    await bothClosed;
    const [one, other] = await Promise.all(slow);
    expect(one).toBe("0 bytes");
    expect(other).toContain("0 bytes");
    await closing;
  });

  test("aborts requests that do not end in time", async () => {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    session.on("error", () => undefined);
    const hanging = ask(session, "/hang").catch((cause: unknown) => String(cause));
    const other = talk("GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    await expect.poll(() => handled).toHaveLength(2);
    await listener.close(50);
    expect(await other).toBe("");
    await hanging;
    await listener.close(50);
  });

  test("a port that is in use is an error, not a crash", async () => {
    const second = createListener(() => undefined, pino({ level: "silent" }));
    await expect(second.listen("127.0.0.1", port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
