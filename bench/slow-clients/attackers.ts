import { openAsBlob } from "node:fs";
import http2 from "node:http2";
import net from "node:net";
import { join } from "node:path";
import { writeLargePdf } from "../../test/fixtures/large-pdf.ts";
import type { Service } from "../service/service.ts";

/** The service that slow clients connect to. */
export interface Target {
  readonly url: string;
  readonly apiKey: string;
  /** A share link to a file that exceeds all socket buffers. */
  readonly largeLink: string;
}

/** Running slow clients. Those that are cut off reconnect. */
export interface Attackers {
  /** The number of cut connections so far. */
  readonly cut: number;
  stop(): void;
}

/** Milliseconds between bytes: as slow as possible without being silent. */
const byteMs = 1_000;

export type Attack = (target: Target) => net.Socket | http2.ClientHttp2Session;

export const bodyHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="slow.pdf"\r\n\r\n%PDF-1.7\n';
export const form = "multipart/form-data; boundary=b";

/** Attacks over one connection each. */
export const attacks: Readonly<Record<string, Attack>> = {
  "headers, HTTP/1.1": (target) => drip(target, "GET /v1/jobs HTTP/1.1\r\nHost: drs\r\nX-Slow: "),
  "body, HTTP/1.1": (target) =>
    drip(
      target,
      `POST /v1/extract HTTP/1.1\r\nHost: drs\r\nX-Api-Key: ${target.apiKey}\r\nContent-Type: ${form}\r\n` +
        `Content-Length: 1000000\r\n\r\n${bodyHead}`,
    ),
  "answer, HTTP/1.1": (target) => {
    const { pathname, search } = new URL(target.largeLink);
    const socket = connect(target);
    socket.pause();
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: drs\r\n\r\n`);
    every(socket, () => socket.read(1));
    return socket;
  },
  "body, HTTP/2": (target) => {
    const session = http2.connect(target.url);
    const stream = session.request({
      ":method": "POST",
      ":path": "/v1/extract",
      "x-api-key": target.apiKey,
      "content-type": form,
    });
    stream.on("error", () => undefined).once("end", () => session.destroy());
    stream.resume();
    stream.write(bodyHead);
    every(session, () => stream.writable && stream.write("x"));
    return session;
  },
  "answer, HTTP/2": (target) => {
    const { pathname, search } = new URL(target.largeLink);
    const session = http2.connect(target.url);
    const stream = session.request({ ":path": `${pathname}${search}` });
    stream.on("error", () => undefined).once("close", () => session.destroy());
    stream.pause();
    every(session, () => stream.read(1));
    return session;
  },
};

/** Starts the given number of each attack, evenly spread over the first second. */
export function startAttackers(target: Target, all: readonly (readonly [Attack, number])[]): Attackers {
  const open = new Set<net.Socket | http2.ClientHttp2Session>();
  let isStopped = false;
  let cut = 0;
  const begin = (attack: Attack): void => {
    if (isStopped) return;
    const connection = attack(target);
    open.add(connection);
    connection.on("error", () => undefined);
    connection.once("close", () => {
      open.delete(connection);
      if (!isStopped) cut += 1;
      setTimeout(begin, byteMs, attack).unref();
    });
  };
  for (const [attack, count] of all) {
    for (let index = 0; index < count; index++) setTimeout(begin, (index / count) * byteMs, attack);
  }
  return {
    get cut() {
      return cut;
    },
    stop() {
      isStopped = true;
      for (const connection of open) connection.destroy();
    },
  };
}

/** Sends the beginning of a request, then a little every second. */
export function drip(target: Target, beginning: string, little = "x"): net.Socket {
  const socket = connect(target);
  socket.resume();
  socket.write(beginning);
  every(socket, () => socket.writable && socket.write(little));
  return socket;
}

export function connect({ url }: Target): net.Socket {
  const { hostname, port } = new URL(url);
  return net.connect(Number(port), hostname);
}

function every(connection: net.Socket | http2.ClientHttp2Session, act: () => unknown): void {
  const timer = setInterval(act, byteMs);
  connection.once("close", () => clearInterval(timer));
}

const documentMb = 32;

/** Uploads a document that exceeds all socket buffers. Returns its share link. */
export async function uploadLarge(folder: string, { url, apiKey }: Service): Promise<string> {
  const path = join(folder, "large.pdf");
  await writeLargePdf(path, documentMb * 2 ** 20);
  const form = new FormData();
  form.set("file", await openAsBlob(path), "large.pdf");
  const headers = { "x-api-key": apiKey };
  await (await fetch(`${url}/v1/extract`, { method: "POST", headers, body: form })).text();
  const link = /"url":"([^"]+)"/.exec(await (await fetch(`${url}/v1/datasets`, { headers })).text())?.[1];
  if (link === undefined) throw new Error("the large document was not taken");
  return link;
}
