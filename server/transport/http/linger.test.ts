import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import pino from "pino";
import { afterEach, describe, expect, test } from "vitest";
import { bodyOf, type NodeRequest, type NodeResponse } from "./exchange.ts";
import { closeIfEarly, defaultLinger, type LingerBounds } from "./linger.ts";
import { createListener, type Listener } from "./listener.ts";

let listener: Listener | undefined;
afterEach(() => listener?.close(0));

/** Refuses every request by its head, except "/take", which it reads to the end. Records the paths of requests. */
async function start(bounds: LingerBounds = defaultLinger): Promise<{ port: number; handled: string[] }> {
  const handled: string[] = [];
  const answer = async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    handled.push(request.url ?? "");
    let size = 0;
    if (request.url === "/take") for await (const chunk of bodyOf(request)) size += chunk.length;
    closeIfEarly({ request, response });
    response.statusCode = request.url === "/take" ? 200 : 401;
    response.end(`${size} bytes taken`);
  };
  listener = createListener(
    (request, response) => void answer(request, response),
    pino({ level: "silent" }),
    undefined,
    bounds,
  );
  const { port } = await listener.listen("127.0.0.1", 0);
  return { port, handled };
}

const head = (path: string, ...headers: string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: x", ...headers, "", ""].join("\r\n");

/** Sends all pieces before it reads anything, as Python does. Returns the answer, and how the connection ended. */
async function sendAll(port: number, ...pieces: (string | Buffer)[]): Promise<{ answer: string; end: string }> {
  const socket = net.connect(port, "127.0.0.1");
  socket.pause();
  let answer = "";
  let end = "end";
  socket.on("error", (error: NodeJS.ErrnoException) => (end = error.code ?? ""));
  for (const piece of pieces) await new Promise((resolve) => socket.write(piece, resolve));
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.resume();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  await closed;
  return { answer, end };
}

const body = Buffer.alloc(20 * 2 ** 20);

describe("a body that is refused over HTTP/1.1", () => {
  test.each([
    ["with its length", [head("/", `Content-Length: ${body.length}`), body]],
    ["by a client that closes", [head("/", "Connection: close", `Content-Length: ${body.length}`), body]],
    ["in chunks", [head("/", "Transfer-Encoding: chunked"), `${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"]],
    ["whose head is too large", [head("/", `Long: ${"x".repeat(20_000)}`, `Content-Length: ${body.length}`), body]],
  ])("%s: the answer is read after everything has been sent", async (_what, pieces) => {
    const { port } = await start();
    const { answer, end } = await sendAll(port, ...pieces);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer.match(/^connection: .*$/gim)).toEqual([expect.stringMatching(/close/)]);
    expect(end).toBe("end");
  });

  test("a request after it is not handled, since it cannot be answered", async () => {
    const { port, handled } = await start();
    const { answer } = await sendAll(
      port,
      head("/one", "Content-Length: 500000"),
      body.subarray(0, 500_000),
      head("/two"),
    );
    expect(handled).toEqual(["/one"]);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  test.each([
    ["too much", { ...defaultLinger, maxBytes: 2 ** 20 }, 65_536],
    ["for too long", { ...defaultLinger, maxMs: 300, windowMs: 100 }, 65_536],
    ["too slowly", { ...defaultLinger, windowMs: 100 }, 1],
  ])("who sends %s of it is cut off", async (_what, bounds, pieceBytes) => {
    const { port } = await start(bounds);
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    let answer = "";
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(head("/", `Content-Length: ${2 ** 40}`));
    const sending = setInterval(() => socket.write(body.subarray(0, pieceBytes)), 5);
    await closed;
    clearInterval(sending);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("a client that asks for permission before it sends", () => {
  test("is refused without being told to continue", async () => {
    const { port } = await start();
    const { answer } = await sendAll(port, head("/", "Expect: 100-continue", "Content-Length: 5"));
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  test("is told to continue when its body is wanted", async () => {
    const { port } = await start();
    const socket = net.connect(port, "127.0.0.1");
    socket.write(head("/take", "Expect: 100-continue", "Connection: close", "Content-Length: 5"));
    const [first] = await once(socket, "data");
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("hello");
    const [second] = await once(socket, "data");
    expect(String(second)).toContain("5 bytes taken");
  });

  test("over HTTP/2 as well", async () => {
    const { port } = await start();
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const ask = async (path: string): Promise<string[]> => {
      const seen: string[] = [];
      const stream = session.request({ ":method": "POST", ":path": path, expect: "100-continue" });
      stream.on("continue", () => {
        seen.push("continue");
        stream.end("hello");
      });
      stream.on("response", (headers) => seen.push(String(headers[":status"])));
      stream.resume();
      await once(stream, "end");
      stream.close();
      return seen;
    };
    expect(await ask("/")).toEqual(["401"]);
    expect(await ask("/take")).toEqual(["continue", "200"]);
    session.close();
  });
});

describe("a body that is refused over HTTP/2", () => {
  test("leaves its connection usable, and takes none of its window", async () => {
    const { port } = await start();
    const session = http2.connect(`http://127.0.0.1:${port}`);
    for (let round = 0; round < 5; round++) {
      const stream = session.request({ ":method": "POST", ":path": "/" });
      const answered = once(stream, "response");
      const closed = once(stream, "close");
      for (let sent = 0; sent < body.length; sent += 2 ** 20) {
        await new Promise((resolve) => stream.write(body.subarray(sent, sent + 2 ** 20), resolve));
      }
      stream.end();
      const [headers] = await answered;
      expect(headers[":status"]).toBe(401);
      stream.resume();
      await closed;
      expect(stream.rstCode).toBe(0);
    }
    session.close();
  });

  test("is told to stop when it sends too much", async () => {
    const { port } = await start({ ...defaultLinger, maxBytes: 2 ** 20 });
    const session = http2.connect(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":method": "POST", ":path": "/" });
    const sending = setInterval(() => stream.writable && stream.write(body.subarray(0, 65_536)), 5);
    const [headers] = await once(stream, "response");
    stream.resume();
    await once(stream, "close");
    clearInterval(sending);
    expect([headers[":status"], stream.rstCode]).toEqual([401, 0]);
    session.close();
  });
});
