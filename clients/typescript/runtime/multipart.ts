import { createHash } from "node:crypto";
import { readPieces } from "../uploads/bytes.ts";
import type { UploadForm } from "../uploads/form.ts";

/** A multipart/form-data body that is generated while it is read. */
export interface MultipartBody {
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Reads the body from its start. The caller requests the next piece only after it has handed the previous one to the
   * connection, because the memory of the previous piece may then be reused.
   */
  read(): AsyncGenerator<Uint8Array, void, undefined>;
  /** SHA-256 of the file, once it has been read. */
  sha256(): string | undefined;
}

/** Creates a body according to RFC 7578, with names escaped as the HTML standard requires. */
export function multipartBody(
  { fields, file, checksumField }: UploadForm,
  onSent: (bytes: number) => void,
): MultipartBody {
  const boundary = `drs-${crypto.randomUUID()}`;
  const field = (name: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${escape(name)}"\r\n\r\n${value}\r\n`;
  const checksum = (value: string): string => (checksumField === undefined ? "" : field(checksumField, value));
  const before = fields.map(([name, value]) => field(name, value)).join("");
  const head = Buffer.from(file === undefined ? before : before + fileHead(boundary, file));
  const tail = (sum: string): Buffer =>
    Buffer.from(`${file === undefined ? "" : `\r\n${checksum(sum)}`}--${boundary}--\r\n`);
  const length = head.byteLength + (file?.bytes.size ?? 0) + tail("0".repeat(64)).byteLength;
  let sha256: string | undefined;
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      // A known length lets the server reject a document that is too large before it has arrived.
      "content-length": String(length),
    },
    async *read() {
      const hash = checksumField === undefined ? undefined : createHash("sha256");
      let sentBytes = 0;
      yield head;
      for await (const piece of file === undefined ? [] : readPieces(file.bytes)) {
        hash?.update(piece);
        yield piece;
        sentBytes += piece.byteLength;
        onSent(sentBytes);
      }
      sha256 = hash?.digest("hex");
      yield tail(sha256 ?? "");
    },
    sha256: () => sha256,
  };
}

function fileHead(boundary: string, { fileName, mimeType }: { fileName: string; mimeType: string }): string {
  const type = mimeType || "application/octet-stream";
  return `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${escape(fileName)}"\r\ncontent-type: ${type}\r\n\r\n`;
}

function escape(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}
