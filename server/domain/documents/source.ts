import { unavailable } from "../errors.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { DocumentKind } from "./kind.ts";

/** Bytes with random access: a stored blob, a local file. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` to `end` (not included); fewer only at the end of the source. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Identifies files by their content. */
export interface DocumentFormats {
  /**
   * Rejects a file whose first bytes already show that drs cannot read it, before anything is stored. Takes at
   * least `identifyBytes`, fewer only if the file is shorter. Throws `unsupported` with the detected type.
   */
  refuseAtOnce(head: Uint8Array): void;
  /**
   * Identifies a document by its content, whatever its name or declared type says. Reads a few small ranges. Throws
   * `unsupported` with the detected type, and the errors of the source.
   */
  identify(source: ByteSource): Promise<DocumentKind>;
}

/** Reads a stored blob as a source of bytes. */
export function blobSource(blobs: Pick<BlobStore, "get">, key: string, size: number): ByteSource {
  return {
    size,
    async read(start, end) {
      const last = Math.min(end, size) - 1;
      if (start > last) return new Uint8Array(0);
      const blob = await blobs.get(key, { start, end: last });
      if (blob === undefined) throw unavailable("the uploaded file is gone; upload it again");
      const parts: Uint8Array[] = [];
      for await (const part of blob.body) parts.push(part);
      return Buffer.concat(parts);
    },
  };
}

/** Bytes that are needed to identify a file: PDF allows junk before its header in the first 1,024 bytes. */
export const identifyBytes = 1024;

/**
 * Reads the first bytes of a document, at least `identifyBytes` unless it is shorter. They are copied, because the
 * memory of a piece may be reused as soon as the next one is requested.
 */
export async function readHead(pieces: AsyncIterator<Uint8Array, undefined>): Promise<Uint8Array> {
  let head = Buffer.alloc(0);
  while (head.length < identifyBytes) {
    const { value } = await pieces.next();
    if (value === undefined) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}
