import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Drs, Shared } from "@drs/client";

/** Saves what a share link leads to; a file of that name is replaced, and is never seen half written. */
export async function saveShared(drs: Drs, shared: Shared, path: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.part`;
  try {
    const { body } = await drs.download(shared, { signal });
    await pipeline(Readable.from(body), createWriteStream(partial), { signal });
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw cause;
  }
}
