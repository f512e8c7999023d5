import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { StoredBlob } from "../../../domain/ports/blobs.ts";

/** A CRC32 as S3 writes it. */
export function crcText(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes.toString("base64");
}

/** What is known of bytes that have been seen one after another. */
export interface Digest {
  add(bytes: Uint8Array): void;
  size(): number;
  /** CRC32 as S3 writes it. */
  crc(): string;
  stored(): StoredBlob;
}

export function createDigest(): Digest {
  const hash = createHash("sha256");
  let crc = 0;
  let size = 0;
  return {
    add(bytes) {
      hash.update(bytes);
      crc = crc32(bytes, crc);
      size += bytes.byteLength;
    },
    size: () => size,
    crc: () => crcText(crc),
    stored: () => ({ size, sha256: hash.copy().digest("hex") }),
  };
}
