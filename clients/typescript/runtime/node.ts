import { createHash } from "node:crypto";
import { pieceBytes, readPieces, type StoredDocument } from "../uploads/bytes.ts";
import { readJson, type Runtime, type SendOptions } from "../uploads/form.ts";
import { postOverHttp } from "./http.ts";
import { multipartBody, type MultipartBody } from "./multipart.ts";
import { type Connection, idempotencyHeader } from "../connection.ts";
import { type FileHandle, open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { DrsError } from "../errors.ts";

export const runtime: Runtime = {
  openPath: openFile,

  async sendForm(connection, path, form, options) {
    const body = multipartBody(form, options.onSent);
    const post = connection.customFetch === undefined ? postOverHttp : postOverFetch;
    const answer = await post(connection, path, body, options);
    return { answer, sha256: body.sha256() };
  },

  async sha256(bytes) {
    const hash = createHash("sha256");
    for await (const piece of readPieces(bytes)) hash.update(piece);
    return hash.digest("hex");
  },
};

/** Posts a body with the caller's own fetch. Resolves with the parsed response. */
async function postOverFetch(
  connection: Connection,
  path: string,
  body: MultipartBody,
  { method = "POST", signal, idempotencyKey }: SendOptions,
): Promise<unknown> {
  let failure: unknown;
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      // Fetch does not report when it has sent a piece, so each piece is copied to memory that is not reused.
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

/**
 * Opens a file to be read by ranges, never as a whole. Rejects with the error of the system, or with `TypeError` for a
 * folder.
 */
async function openFile(path: string): Promise<StoredDocument> {
  // Checked before opening, which would wait for the other end of a pipe.
  if (!(await stat(path)).isFile()) throw new TypeError(`${path} is not a file`);
  const handle = await open(path);
  try {
    const { size, mtimeMs } = await handle.stat();
    const verify = async (): Promise<void> => {
      const now = await handle.stat();
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed(path);
    };
    return {
      fileName: basename(path),
      mimeType: "",
      lastModified: mtimeMs,
      size,
      range: (start, end) => ({ size: end - start, read: () => readRange({ handle, path, start, end, verify }) }),
      close: () => handle.close(),
    };
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}

interface Range {
  readonly handle: FileHandle;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly verify: () => Promise<void>;
}

/** Yields the range in pieces that share the same memory. Yields the last piece only if the file has not changed. */
async function* readRange({ handle, path, start, end, verify }: Range): AsyncGenerator<Uint8Array, void, undefined> {
  const memory = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start));
  for (let at = start; at < end;) {
    const { bytesRead } = await handle.read(memory, 0, Math.min(memory.byteLength, end - at), at);
    if (bytesRead === 0) throw changed(path);
    at += bytesRead;
    if (at === end) await verify();
    yield memory.subarray(0, bytesRead);
  }
}

function changed(path: string): DrsError {
  return new DrsError({
    code: "aborted",
    message: `${path} changed during its upload; upload it again once it is complete`,
  });
}
