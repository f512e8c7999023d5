import { open } from "node:fs/promises";

/** Element of the title in an XMP packet (ISO 16684-1), which is usually stored uncompressed (ISO 32000-1, 14.3.2). */
const titleElement = Buffer.from("<dc:title");

/** Packets are near the beginning or the end of a file, but pictures may come first. */
const maxBytes = 64 * 2 ** 20;
const chunkBytes = 2 ** 20;

/**
 * Whether a file seems to have an XMP packet with a title in its first 64 MB or its last one. It searches the bytes, so that
 * the engine that reads such packets need not be started for every document.
 */
export async function hasXmpTitle(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const chunk = Buffer.alloc(chunkBytes);
    const has = async (from: number): Promise<boolean> => {
      const { bytesRead } = await handle.read(chunk, 0, chunkBytes, from);
      return chunk.subarray(0, bytesRead).includes(titleElement);
    };
    const end = Math.min(size, maxBytes);
    for (let from = 0; from < end; from += chunkBytes - titleElement.length) if (await has(from)) return true;
    return size > end && (await has(Math.max(end, size - chunkBytes)));
  } finally {
    await handle.close();
  }
}
