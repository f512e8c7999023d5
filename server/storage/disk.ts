import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";

const mib = 2 ** 20;

export interface DiskRoom {
  /** Bytes that this process can still write. */
  readonly free: number;
  readonly total: number;
}

export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/**
 * Returns the bytes reserved so that deletes still work on a full disk: 1 % of the disk, at most 16 MiB. The minimum is
 * what the transaction of a delete needs, even if that is more than 1 % of a very small disk.
 */
export const reserveBytesOf = (total: number): number => Math.floor(Math.min(16 * mib, Math.max(mib / 2, total / 100)));

/** Returns the bytes that new documents must leave free for the rows, vectors and logs of accepted documents. */
const marginBytesOf = (total: number): number => Math.min(64 * mib, Math.max(mib, total / 50));

/** Returns the bytes that new documents may still take up; negative if not enough is left for the accepted ones. */
export async function roomForDocuments(folder: string): Promise<number> {
  const { free, total } = await diskRoom(folder);
  return free - marginBytesOf(total);
}

/** Returns why the data folder cannot be written, as a sentence for operators; undefined if it can. */
export async function storageFault(dataDir: string): Promise<string | undefined> {
  try {
    await access(dataDir, constants.W_OK);
    const { free, total } = await diskRoom(dataDir);
    if (free >= reserveBytesOf(total)) return undefined;
    return `the disk of the data folder ${dataDir} is full: ${Math.floor(free / 1024)} KiB are left; make room`;
  } catch (cause) {
    return `the data folder ${dataDir} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}
