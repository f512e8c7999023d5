import { type FileHandle, open } from "node:fs/promises";
import { hasErrorCode } from "../error-codes.ts";

/** Thrown if a file to be read does not exist. */
export class MissingSource extends Error {}

/**
 * Bytes per read: enough for fast disk reads, and few enough that hashing one read does not block the process for long.
 */
const readBytes = 2 ** 20;

/**
 * Yields the bytes of the files, one after another. Each piece is read while the consumer processes the previous one,
 * and is valid until the consumer requests the next. Throws `MissingSource`.
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
      // A read must end before its handle is closed, even if nobody needs its result any more.
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
