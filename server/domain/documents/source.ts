import { unavailable } from "../errors.ts";
import type { BlobStore } from "../ports/blobs.ts";
import type { ByteSource } from "../ports/formats.ts";

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
