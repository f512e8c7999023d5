import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../domain/documents/source.ts";

/** Creates a source of the bytes of an open file. Later changes of the file's size are ignored. */
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

/** Creates a source of bytes in memory. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
