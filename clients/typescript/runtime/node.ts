import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { DrsError } from "../errors.ts";
import type { Document, Runtime, SendOptions, UploadForm } from "../upload/form.ts";

/** Bytes per read: large enough that the loop costs nothing, small enough to keep progress smooth. */
const pieceBytes = 256 * 1024;

export const runtime: Runtime = {
  async openPath(path) {
    const { size } = await stat(path).then((found) => {
      if (!found.isFile()) throw new TypeError(`${path} is not a file`);
      return found;
    });
    return { fileName: basename(path), mimeType: "", size, content: readPath(path, size) };
  },

  async sendForm(connection, path, form, options) {
    const boundary = `drs-${crypto.randomUUID()}`;
    const { head, tail } = envelope(form, boundary);
    const headers: Record<string, string> = {
      "content-type": `multipart/form-data; boundary=${boundary}`,
    };
    // A known length lets the server refuse what is too large before it has arrived.
    if (form.file.size !== undefined)
      headers["content-length"] = String(head.byteLength + form.file.size + tail.byteLength);

    let failure: unknown;
    async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield head;
        yield* counted(form.file, options);
        yield tail;
      } catch (cause) {
        // Fetch reports a failing body as a failing network.
        failure = cause;
        throw cause;
      }
    }
    const { signal } = options;
    try {
      const response = await connection.request(path, {
        method: "POST",
        headers,
        body: ReadableStream.from(body()),
        duplex: "half",
        // Otherwise fetch keeps a copy of the whole body for a redirect, which could not be followed with a stream anyway.
        redirect: "error",
        window: null,
        ...(signal === undefined ? {} : { signal }),
      });
      return await response.json();
    } catch (cause) {
      throw failure ?? cause;
    }
  },
};

async function* readPath(path: string, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  let read = 0;
  if (size > 0) {
    // What is appended meanwhile stays out: the length has been announced.
    for await (const piece of createReadStream(path, { end: size - 1, highWaterMark: pieceBytes })) {
      const bytes: Uint8Array = piece;
      read += bytes.byteLength;
      yield bytes;
    }
  }
  if (read < size) {
    throw new DrsError({
      code: "aborted",
      message: `${path} became shorter during its upload; upload it again once it is complete`,
    });
  }
}

async function* counted(
  { content, size }: Document,
  { onProgress }: SendOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sentBytes = 0;
  onProgress?.({ sentBytes, totalBytes: size });
  for await (const piece of content instanceof Blob ? content.stream() : content) {
    yield piece;
    sentBytes += piece.byteLength;
    onProgress?.({ sentBytes, totalBytes: size });
  }
}

/** What stands before and after the file's bytes: RFC 7578, names escaped as the HTML standard says. */
function envelope({ fields, file }: UploadForm, boundary: string): { head: Uint8Array; tail: Uint8Array } {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${escape(name)}"\r\n\r\n${value}\r\n`,
  );
  const type = file.mimeType || "application/octet-stream";
  const head = `${parts.join("")}--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escape(file.fileName)}"\r\ncontent-type: ${type}\r\n\r\n`;
  const encoder = new TextEncoder();
  return { head: encoder.encode(head), tail: encoder.encode(`\r\n--${boundary}--\r\n`) };
}

function escape(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
