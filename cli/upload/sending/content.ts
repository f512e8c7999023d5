import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Bytes per read: the cost of a read no longer shows, and the screen is still drawn between two of them. */
const pieceBytes = 2 ** 20;

/** SHA-256 of a file's bytes, hexadecimal. Rejects with the error of the file system. */
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
