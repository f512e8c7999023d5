import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { setImmediate as nextTurn } from "node:timers/promises";
import { addressAt, type Connection, idempotencyHeader } from "../connection.ts";
import { unreachable } from "../errors.ts";
import { readAnswer, type SendOptions } from "../uploads/form.ts";
import type { MultipartBody } from "./multipart.ts";

/**
 * Posts a body with Node's own HTTP client. Unlike fetch, that sends large pieces without copying or splitting them, and
 * reports when their memory can be reused. Connections are reused. Resolves with the parsed response.
 */
export async function postOverHttp(
  { server, credentials }: Connection,
  path: string,
  body: MultipartBody,
  { method = "POST", signal, silenceMs, idempotencyKey }: SendOptions,
): Promise<unknown> {
  signal?.throwIfAborted();
  const url = addressAt(server, path);
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method,
    headers: { ...body.headers, ...credentials, ...idempotencyHeader(idempotencyKey) },
    timeout: silenceMs,
    ...(signal === undefined ? {} : { signal }),
  });
  request.once("timeout", () => request.destroy(new Error(`no answer within ${silenceMs / 1_000} seconds`)));
  const broken = (cause: unknown): unknown =>
    signal?.aborted === true ? signal.reason : unreachable(url.origin, cause);
  try {
    const answered = answerTo(request, broken);
    await send(request, body, answered);
    const answer = await answered;
    const text = await readText(answer).catch((cause: unknown) => Promise.reject(broken(cause)));
    const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
    return await readAnswer({ status, statusText, text, header: (name) => answer.headers[name]?.toString() });
  } finally {
    // The rest of a rejected body is not sent. The connection of a complete request stays open.
    if (!request.writableFinished) request.destroy();
  }
}

function answerTo(request: ClientRequest, broken: (cause: unknown) => unknown): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once("response", resolve);
    request.on("error", (cause) => reject(broken(cause)));
    request.once("close", () => reject(broken(new Error("the connection was closed"))));
  });
}

/** Sends the body. Rejects if reading it fails or the connection breaks; stops if the response comes early. */
async function send(request: ClientRequest, body: MultipartBody, answered: Promise<IncomingMessage>): Promise<void> {
  let isAnswered = false;
  const early = answered.then(() => {
    isAnswered = true;
  });
  for await (const piece of body.read()) {
    // Lets a pending response arrive first: if the server has rejected the request and closed the connection, writing to
    // it would lose the response.
    await Promise.race([nextTurn(), early]);
    if (isAnswered) return;
    await Promise.race([written(request, piece), early]);
  }
  request.end();
}

/**
 * Resolves once the memory of the piece is free again. A failure is reported by the response, which may have come
 * already.
 */
function written(request: ClientRequest, piece: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    request.write(piece, (failure) => {
      if (failure === null || failure === undefined) resolve();
    });
  });
}

async function readText(answer: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += String(piece);
  return text;
}
