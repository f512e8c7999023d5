import { constants } from "node:fs";
import { access, statfs } from "node:fs/promises";

const mib = 2 ** 20;

export interface DiskRoom {
  /** Bytes that this process may still write. */
  readonly free: number;
  readonly total: number;
}

export async function diskRoom(folder: string): Promise<DiskRoom> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/**
 * Bytes kept back so that deletes still work on a full disk: 1 % of the disk, at most 16 MiB, and at least what the
 * transaction of a delete takes, even on a disk so small that this is more than 1 %.
 */
export const reserveBytesOf = (total: number): number => Math.floor(Math.min(16 * mib, Math.max(mib / 2, total / 100)));

/** Bytes that documents leave free for the rows, vectors and logs of documents that have been accepted. */
const marginBytesOf = (total: number): number => Math.min(64 * mib, Math.max(mib, total / 50));

/** Bytes that documents may still take up; negative if there is too little room for those that have been accepted. */
export async function roomForDocuments(folder: string): Promise<number> {
  const { free, total } = await diskRoom(folder);
  return free - marginBytesOf(total);
}

/** Why the data folder cannot be written, as a sentence for operators; undefined if it can. */
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
