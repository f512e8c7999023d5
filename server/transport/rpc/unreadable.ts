import { Code, type ConnectError } from "@connectrpc/connect";
import type { Compression, UniversalServerResponse } from "@connectrpc/connect/protocol";

/** Prefix of Connect's error for a message that it cannot read; no other error of Connect has it. */
const unreadable = "parse binary: ";
/** The prefix as encoded in gRPC trailers. */
const unreadableInTrailers = encodeURIComponent(unreadable);
const trailersFlag = 0x80;
const envelopeBytes = 5;
/** No error is nearly as large. */
const maxErrorBytes = 2 ** 20;

/** Whether Connect could not parse a message. A message with an unannounced compression is a real internal error. */
export function isUnreadable({ code, rawMessage }: ConnectError): boolean {
  return code === Code.Internal && rawMessage.startsWith(unreadable);
}

/**
 * Connect answers a single message that is unparsable, or nested too deeply, with an internal error, before it calls
 * any interceptor. This turns the answer into an error of the caller.
 */
export async function blameUnreadable(
  answer: UniversalServerResponse,
  compressions: readonly Compression[],
): Promise<UniversalServerResponse> {
  const { body } = answer;
  const type = answer.header?.get("content-type") ?? "";
  if (!isIterable(body)) return answer;
  if (type.startsWith("application/grpc-web")) return { ...answer, body: blameInFrames(body) };
  if (type.startsWith("application/grpc")) return { ...answer, body: blameInTrailers(body, answer.trailer) };
  if (answer.status !== 500 || type !== "application/json") return answer;
  const sent = Buffer.concat(await Array.fromAsync(body));
  const encoding = answer.header?.get("content-encoding") ?? "identity";
  const compression = compressions.find(({ name }) => name === encoding);
  const text = Buffer.from((await compression?.decompress(sent, maxErrorBytes)) ?? sent).toString();
  if (!text.includes(`"message":"${unreadable}`)) return { ...answer, body: once(sent) };
  const bytes = Buffer.from(text.replace('"code":"internal"', '"code":"invalid_argument"'));
  answer.header?.delete("content-encoding");
  answer.header?.set("content-length", String(bytes.length));
  return { ...answer, status: 400, body: once(bytes) };
}

/**
 * Answers a gRPC call with invalid JSON: V8 quotes its first characters, which may end within a surrogate pair, and
 * Connect throws a `URIError` when it encodes such a text for its trailers. Any other cause is rethrown.
 */
export function answerBrokenText(cause: unknown, header: Headers): UniversalServerResponse {
  const type = header.get("content-type") ?? "";
  if (!(cause instanceof URIError) || !type.startsWith("application/grpc")) throw cause;
  const message = encodeURIComponent("a message is not valid JSON");
  const fields = { "content-type": type, "grpc-status": String(Code.InvalidArgument), "grpc-message": message };
  return { status: 200, header: new Headers(fields) };
}

async function* blameInTrailers(
  body: AsyncIterable<Uint8Array>,
  trailers: Headers | undefined,
): AsyncGenerator<Uint8Array> {
  yield* body;
  // The trailers are complete only now.
  if (trailers?.get("grpc-message")?.startsWith(unreadableInTrailers))
    trailers.set("grpc-status", String(Code.InvalidArgument));
}

/**
 * Turns an error about an unreadable message into one of the caller, for gRPC-Web, which has its trailers in the last
 * frame of the body.
 */
async function* blameInFrames(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const frame of body) {
    const text = frame[0] === trailersFlag ? Buffer.from(frame).toString("latin1", envelopeBytes) : "";
    if (!text.includes(`grpc-message: ${unreadableInTrailers}`)) {
      yield frame;
      continue;
    }
    const trailers = Buffer.from(text.replace(/^grpc-status: \d+/m, `grpc-status: ${Code.InvalidArgument}`), "latin1");
    const head = Buffer.alloc(envelopeBytes);
    head.writeUInt8(trailersFlag);
    head.writeUInt32BE(trailers.length, 1);
    yield Buffer.concat([head, trailers]);
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function isIterable(body: UniversalServerResponse["body"]): body is AsyncIterable<Uint8Array> {
  return body !== undefined && Symbol.asyncIterator in body;
}
