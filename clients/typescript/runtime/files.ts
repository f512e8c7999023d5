import { type FileHandle, open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { DrsError } from "../errors.ts";
import { pieceBytes, type StoredDocument } from "../uploads/bytes.ts";

/**
 * Opens a file to be read by ranges, never as a whole. Rejects with the error of the system, or with `TypeError` for a
 * folder.
 */
export async function openFile(path: string): Promise<StoredDocument> {
  // Checked before opening, which would wait for the other end of a pipe.
  if (!(await stat(path)).isFile()) throw new TypeError(`${path} is not a file`);
  const handle = await open(path);
  try {
    const { size, mtimeMs } = await handle.stat();
    const verify = async (): Promise<void> => {
      const now = await handle.stat();
      if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed(path);
    };
    return {
      fileName: basename(path),
      mimeType: "",
      lastModified: mtimeMs,
      size,
      range: (start, end) => ({ size: end - start, read: () => readRange({ handle, path, start, end, verify }) }),
      close: () => handle.close(),
    };
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}

interface Range {
  readonly handle: FileHandle;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly verify: () => Promise<void>;
}

/** All pieces share the same memory. The last one is yielded only if the file has not changed. */
async function* readRange({ handle, path, start, end, verify }: Range): AsyncGenerator<Uint8Array, void, undefined> {
  const memory = Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - start));
  for (let at = start; at < end;) {
    const { bytesRead } = await handle.read(memory, 0, Math.min(memory.byteLength, end - at), at);
    if (bytesRead === 0) throw changed(path);
    at += bytesRead;
    if (at === end) await verify();
    yield memory.subarray(0, bytesRead);
  }
}

function changed(path: string): DrsError {
  return new DrsError({
    code: "aborted",
    message: `${path} changed during its upload; upload it again once it is complete`,
  });
}
