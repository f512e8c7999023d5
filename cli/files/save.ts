import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Drs, Shared } from "@drs/client";

interface Saving {
  readonly signal: AbortSignal;
  /** What the bytes become before they are written. Default: as they are. */
  readonly change?: ((bytes: Uint8Array) => Promise<Uint8Array>) | undefined;
}

/** Saves what a share link leads to; a file of that name is replaced, and is never seen half written. */
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
