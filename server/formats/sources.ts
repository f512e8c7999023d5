import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../domain/documents/source.ts";

/** Reads the bytes of an open file, whose size is fixed from now on. */
export async function fileSource(handle: FileHandle): Promise<ByteSource> {
  const { size } = await handle.stat();
  return {
    size,
    async read(start, end) {
      const length = Math.max(0, Math.min(end, size) - start);
      const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    },
  };
}

/** Reads bytes in memory as a source of bytes. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
