import { type FileHandle, open } from "node:fs/promises";
import { hasErrorCode } from "../error-codes.ts";

/** Thrown if a file that should be read does not exist. */
export class MissingSource extends Error {}

/** Bytes per read: large enough for the disk, small enough that hashing one read does not hold up the process. */
const readBytes = 2 ** 20;

/**
 * The bytes of the files one after another. Each piece is read while the consumer still works on the one before, and is
 * valid until the next is asked for. Throws `MissingSource`.
 */
export async function* readSources(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  const buffers = [Buffer.allocUnsafeSlow(readBytes), Buffer.allocUnsafeSlow(readBytes)] as const;
  for (const path of paths) {
    const handle = await openSource(path);
    let coming = read(handle, buffers[0]);
    try {
      for (let turn = 1; ; turn = 1 - turn) {
        const piece = await coming;
        if (piece.length === 0) break;
        coming = read(handle, turn === 1 ? buffers[1] : buffers[0]);
        yield piece;
      }
    } finally {
      // A read whose result is no longer wanted must not outlive its handle.
      await coming.catch(() => undefined);
      await handle.close();
    }
  }
}

async function read(handle: FileHandle, buffer: Buffer): Promise<Uint8Array> {
  const { bytesRead } = await handle.read(buffer, 0, buffer.length);
  return buffer.subarray(0, bytesRead);
}

async function openSource(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) throw new MissingSource(path, { cause });
    throw cause;
  }
}
