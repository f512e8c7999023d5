import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import type { StoredBlob } from "../../domain/ports/blobs.ts";
import { fileMode } from "../private-folder.ts";
import { orAborted } from "../../domain/or-aborted.ts";

/**
 * Maximum number of written bytes that are not synced yet. Without this limit, the system writes gigabytes back at the
 * final sync, which delays all other writers. With it, writing a 2 GB file took half the time.
 */
const unsyncedBytes = 32 * 2 ** 20;

/**
 * Writes a new file. Afterwards its bytes are durable, but its name is not. Throws the error of the body or the
 * signal's reason; the caller then has to remove the file.
 */
export async function writeFileDurably(
  path: string,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> {
  signal?.throwIfAborted();
  const hash = createHash("sha256");
  let size = 0;
  let syncedSize = 0;
  let syncing = Promise.resolve();
  const handle = await open(path, "wx", fileMode);
  try {
    for await (const chunk of untilAborted(body, signal)) {
      const writing = writeAll(handle, chunk);
      // The chunk is hashed while another thread writes it to the disk.
      hash.update(chunk);
      await writing;
      size += chunk.byteLength;
      if (size - syncedSize < unsyncedBytes) continue;
      await syncing;
      syncedSize = size;
      syncing = handle.datasync();
      // A failure is thrown where this promise is awaited: before the next sync, or at the end.
      syncing.catch(() => undefined);
    }
    signal?.throwIfAborted();
    await syncing;
    await handle.sync();
  } finally {
    await syncing.catch(() => undefined);
    await handle.close();
  }
  return { size, sha256: hash.digest("hex") };
}

async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength;) {
    written += (await handle.write(chunk, written)).bytesWritten;
  }
}

/** Yields the body until the signal fires, and then rejects, even while the body is waiting for data. */
export async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  if (signal === undefined) {
    yield* body;
    return;
  }
  const chunks = body[Symbol.asyncIterator]();
  let ended = false;
  try {
    for (;;) {
      const next = await orAborted(chunks.next(), signal);
      if (next.done === true) {
        ended = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not awaited: a generator that hangs in its own await never returns, and its result is not needed.
    if (!ended) void Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}

/** Makes the names in a folder durable, so that they survive a power cut as synced bytes do. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
