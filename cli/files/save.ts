import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Drs, Shared } from "@drs/client";

interface Saving {
  readonly signal: AbortSignal;
  /** Changes the bytes before they are written. Default: unchanged. */
  readonly change?: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined;
}

/** Saves the target of a share link. A file of that name is replaced atomically. */
export async function saveShared(drs: Drs, shared: Shared, path: string, { signal, change }: Saving): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.part`;
  try {
    const download = await drs.download(shared, { signal });
    const bytes = change === undefined ? download.body : [await change(await download.bytes())];
    await pipeline(Readable.from(bytes), createWriteStream(partial), { signal });
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw cause;
  }
}
