import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, isIP, type Socket } from "node:net";
import { type FolderAddress, isProof, nonceBytes, proofHeader, proofPath } from "@drs/server/folder";

/**
 * Time limit for the answer, milliseconds: a server on this machine answers at once, a stopped one (Ctrl-Z) never does.
 */
const answerMs = 3_000;

/** Maximum size of the answer, bytes: more than its headers take. */
const maxAnswerBytes = 8 * 1_024;

/** Thrown if the program at the address is not the server of the data folder. Only a nonce was sent to it. */
export class Unproven extends Error {
  override readonly name = "Unproven";
}

/**
 * Returns whether the server that wrote the address is the one that answers there. Rejects only if the signal is
 * aborted.
 */
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
 * Opens a connection to the exact address that the server of a data folder wrote down, and has the server prove on it
 * that it knows the secret written beside the address. Only then is the connection returned, so whatever is sent over
 * it reaches that server: not a program that has taken the port meanwhile, nor one that forwards everything from
 * another address. Rejects with `Unproven`, or with the error of the connection.
 */
export async function connectProven({ url, secret }: FolderAddress, signal?: AbortSignal): Promise<Socket> {
  if (secret === undefined) throw new Unproven(`the server at ${url} is of an older version of drs`);
  const limit = AbortSignal.any([AbortSignal.timeout(answerMs), ...(signal === undefined ? [] : [signal])]);
  const socket = connect({ ...placeOf(url), noDelay: true });
  // Whoever waits for the socket sees failures; an error between two waits must not end the process.
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

/** Returns where to connect: never a name, because its look-up could lead elsewhere. */
function placeOf(url: string): { host: string; port: number } {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "http:" || !isIP(host)) throw new Unproven(`${url} is not the address of a server on this machine`);
  // A server on all addresses of the machine also listens on its loopback.
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return { host: reachable, port: Number(port || 80) };
}

/** Reads the answer up to its empty line. Rejects if anything follows, because nothing else was requested. */
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
