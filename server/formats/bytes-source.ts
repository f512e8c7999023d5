import type { ByteSource } from "../domain/documents/source.ts";

/** Reads bytes in memory as a source of bytes. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
