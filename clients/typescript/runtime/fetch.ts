import type { Connection } from "../connection.ts";
import { idempotencyHeader } from "../idempotency-key.ts";
import { readJson } from "../uploads/answer.ts";
import type { SendOptions } from "../uploads/form.ts";
import type { MultipartBody } from "./multipart.ts";

/** Posts a body with the caller's own fetch. Resolves with the parsed response. */
export async function postOverFetch(
  connection: Connection,
  path: string,
  body: MultipartBody,
  { method = "POST", signal, idempotencyKey }: SendOptions,
): Promise<unknown> {
  let failure: unknown;
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // Fetch does not tell when it has sent a piece, so its memory cannot be reused.
      for await (const piece of body.read()) yield piece.slice();
    } catch (cause) {
      // Fetch reports a failing body as a failure of the network.
      failure = cause;
      throw cause;
    }
  }
  try {
    const response = await connection.request(path, {
      method,
      headers: { ...body.headers, ...idempotencyHeader(idempotencyKey) },
      body: ReadableStream.from(read()),
      duplex: "half",
      // Otherwise fetch would keep a copy of the whole body for a redirect, which it could not follow with a stream
      // anyway.
      redirect: "error",
      window: null,
      ...(signal === undefined ? {} : { signal }),
    });
    return await readJson(response);
  } catch (cause) {
    throw failure ?? cause;
  }
}
