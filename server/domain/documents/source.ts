import { unavailable } from "../errors.ts";
import type { BlobStore } from "../ports/blobs.ts";

/** Bytes that can be read anywhere: a stored blob, a local file. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` to `end` (not included); fewer only where the source ends. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** A stored blob as a source of bytes. */
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

/** Bytes that are at hand already as a source of bytes. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
