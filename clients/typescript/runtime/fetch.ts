import type { Connection } from "../connection.ts";
import { idempotencyHeader } from "../idempotency-key.ts";
import { readJson } from "../uploads/answer.ts";
import type { SendOptions } from "../uploads/form.ts";
import type { MultipartBody } from "./multipart.ts";

/** Posts a body over the fetch that the caller has given. Resolves with the parsed answer. */
export async function postOverFetch(
  connection: Connection,
  path: string,
  body: MultipartBody,
  { method = "POST", signal, idempotencyKey }: SendOptions,
): Promise<unknown> {
  let failure: unknown;
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // Fetch does not say when it has sent what it has taken, so that no memory may be used again.
      for await (const piece of body.read()) yield piece.slice();
    } catch (cause) {
      // Fetch reports a failing body as a failing network.
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
      // Otherwise fetch keeps a copy of the whole body for a redirect, which could not be followed with a stream anyway.
      redirect: "error",
      window: null,
      ...(signal === undefined ? {} : { signal }),
    });
    return await readJson(response);
  } catch (cause) {
    throw failure ?? cause;
  }
}
