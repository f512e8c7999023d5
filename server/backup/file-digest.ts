import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Computes the SHA-256 of a file, hexadecimal. Throws the errors of reading it. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(bytes);
  return hash.digest("hex");
}
