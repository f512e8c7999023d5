import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Bytes per read: large enough to be fast, small enough to redraw the screen in between. */
const pieceBytes = 2 ** 20;

/** Returns the SHA-256 of a file's bytes, hexadecimal. Rejects with the error of the file system. */
export async function sha256Of(
  path: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress?: (readBytes: number) => void },
): Promise<string> {
  const hash = createHash("sha256");
  let readBytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes, signal })) {
    const bytes: Uint8Array = piece;
    hash.update(bytes);
    readBytes += bytes.byteLength;
    onProgress?.(readBytes);
  }
  return hash.digest("hex");
}
