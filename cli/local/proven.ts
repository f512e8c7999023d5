import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { type FolderAddress, isProof, nonceBytes, proofHeader, proofPath } from "@drs/server/folder";

/** A server on this machine answers at once; one that is stopped (Ctrl-Z) never does. Milliseconds. */
const answerMs = 3_000;

/** More than the headers of the answer take, bytes. */
const maxAnswerBytes = 8 * 1_024;

/** What listens at the address of the server of a data folder is not that server. Nothing but a nonce was sent. */
export class Unproven extends Error {
  override readonly name = "Unproven";
}

/** Whether the server that wrote the address is what answers there. Rejects only when the signal fires. */
export async function isProven(address: FolderAddress, signal: AbortSignal): Promise<boolean> {
  try {
    const socket = await connectProven(address, signal);
    socket.destroy();
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/**
 * Opens a connection to the very address that the server of a data folder wrote down, and lets the server prove on it
 * that it knows the secret written beside. Only then is the connection given out, so whatever is sent over it reaches
 * that server: not a program that has taken the port meanwhile, nor one that passes everything on from another address.
 * Rejects with `Unproven`, or as a connection that cannot be made.
 */
export async function connectProven({ url, secret }: FolderAddress, signal?: AbortSignal): Promise<Socket> {
  if (secret === undefined) throw new Unproven(`the server at ${url} is of an older version of drs`);
  const limit = AbortSignal.any([AbortSignal.timeout(answerMs), ...(signal === undefined ? [] : [signal])]);
  const socket = connect({ ...placeOf(url), noDelay: true });
  // Failures show in what waits for the socket; one that comes between two waits must not end the process.
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect", { signal: limit });
    await prove(socket, { url, secret }, limit);
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
}

async function prove(
  socket: Socket,
  { url, secret }: { readonly url: string; readonly secret: string },
  signal: AbortSignal,
): Promise<void> {
  const what = `what listens at ${url} does not prove to be the server of the data folder`;
  const nonce = randomBytes(nonceBytes).toString("base64url");
  const { remoteAddress: address, remotePort: port } = socket;
  let proof: string | undefined;
  try {
    socket.write(`GET ${proofPath}?nonce=${nonce} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`);
    proof = proofIn(await readHead(socket, signal));
  } catch (cause) {
    throw new Unproven(what, { cause });
  }
  const isProven =
    address !== undefined &&
    port !== undefined &&
    proof !== undefined &&
    isProof(secret, { nonce, address, port }, proof);
  if (!isProven) throw new Unproven(what);
}

/** Where to connect; never a name, whose look-up could lead elsewhere. */
function placeOf(url: string): { host: string; port: number } {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "http:" || !isIP(host)) throw new Unproven(`${url} is not the address of a server on this machine`);
  // A server on all addresses of the machine is on its loopback too.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return { host: reachable, port: Number(port || 80) };
}

/** The answer up to its empty line. Rejects if anything follows: nothing else has been asked for. */
async function readHead(socket: Socket, signal: AbortSignal): Promise<string> {
  let head = "";
  while (!head.includes("\r\n\r\n")) {
    const piece: unknown = socket.read();
    if (Buffer.isBuffer(piece)) head += piece.toString("latin1");
    else await readable(socket, signal);
    if (head.length > maxAnswerBytes) throw new Error("the answer is no proof");
  }
  if (!head.endsWith("\r\n\r\n")) throw new Error("the answer is no proof");
  return head;
}

async function readable(socket: Socket, signal: AbortSignal): Promise<void> {
  const woken = new AbortController();
  const either = AbortSignal.any([signal, woken.signal]);
  const ended = async (event: "end" | "close"): Promise<never> => {
    await once(socket, event, { signal: either });
    throw new Error("the connection was closed");
  };
  try {
    await Promise.race([once(socket, "readable", { signal: either }), ended("end"), ended("close")]);
  } finally {
    woken.abort();
  }
}

function proofIn(head: string): string | undefined {
  if (!head.startsWith("HTTP/1.1 204 ") || /^connection: *close/im.test(head)) return undefined;
  return new RegExp(`^${proofHeader}: *(\\S+)\\r$`, "im").exec(head)?.[1];
}
