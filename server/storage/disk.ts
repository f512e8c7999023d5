import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";

const mib = 2 ** 20;

export interface DiskRoom {
  /** What this process may still write, bytes. */
  readonly free: number;
  readonly total: number;
}

export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/**
 * What is kept back so that a full disk still lets delete, bytes: 1 % of the disk, at most 16 MiB; at least what the
 * transaction of a delete takes, also on a disk so small that this is more.
 */
export const reserveBytesOf = (total: number): number => Math.floor(Math.min(16 * mib, Math.max(mib / 2, total / 100)));

/** What documents leave free for the rows, vectors and logs of those that are accepted, bytes. */
const marginBytesOf = (total: number): number => Math.min(64 * mib, Math.max(mib, total / 50));

/** What documents may still take up, bytes; negative where there is too little for those that have been accepted. */
export async function roomForDocuments(folder: string): Promise<number> {
  const { free, total } = await diskRoom(folder);
  return free - marginBytesOf(total);
}

/** Why the data folder cannot be written, as a sentence for operators; undefined: it can. */
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
