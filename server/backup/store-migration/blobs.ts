import { createHash } from "node:crypto";
import { unprocessable } from "../../domain/errors.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import { inLanes } from "../map-concurrent.ts";

const lanes = 4;

export interface MovedBlobs {
  readonly blobs: number;
  readonly bytes: number;
}

interface BlobMove {
  readonly from: BlobStore;
  readonly to: BlobStore;
  readonly signal: AbortSignal;
  readonly onProgress: (moved: MovedBlobs) => void;
}

/**
 * Copies all blobs except cached renditions. Each written blob is read again and compared with the SHA-256 of the
 * bytes that were sent; blobs that an earlier call has copied are not sent again.
 */
export async function moveBlobs({ from, to, signal, onProgress }: BlobMove): Promise<MovedBlobs> {
  let [blobs, bytes] = [0, 0];
  await inLanes(from.list(), lanes, async ({ key, size }) => {
    signal.throwIfAborted();
    if (key.startsWith("renditions/")) return;
    if ((await to.stat(key))?.size !== size) await moveBlob({ from, to, signal }, key);
    blobs += 1;
    bytes += size;
    onProgress({ blobs, bytes });
  });
  return { blobs, bytes };
}

async function moveBlob({ from, to, signal }: Omit<BlobMove, "onProgress">, key: string): Promise<void> {
  const source = await from.get(key);
  if (source === undefined) throw unprocessable(`${key} has gone; nothing may use the source while it is moved`);
  const sent = await to.put(key, source.body, signal);
  const stored = await to.get(key);
  const hash = createHash("sha256");
  for await (const piece of stored?.body ?? []) hash.update(piece);
  if (hash.digest("hex") === sent.sha256) return;
  await to.remove(key);
  throw unprocessable(`${key} was stored with other bytes than those that were sent; run the same command again`);
}
