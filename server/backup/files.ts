import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { DomainError, storageFull } from "../domain/errors.ts";
import { storageFaultOf } from "../domain/storage-fault.ts";
import { diskRoom } from "../storage/disk.ts";

/** Computes the SHA-256 of a file, hexadecimal. Throws the errors of reading it. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(bytes);
  return hash.digest("hex");
}

/**
 * Runs work that writes into these folders and that the same command resumes after a failure. If a disk gets full,
 * throws `storage_full`, naming the folder with the least space.
 */
export async function namingFullDisk<Result>(
  folders: readonly [string, ...string[]],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof DomainError || storageFaultOf(cause) !== "full") throw cause;
    throw fullDisk(await fullestOf(folders), cause);
  }
}

export const fullDisk = (folder: string, cause: unknown): DomainError =>
  storageFull(`the disk of ${folder} is full; make room and run the same command to resume`, { cause });

async function fullestOf(folders: readonly [string, ...string[]]): Promise<string> {
  let [fullest] = folders;
  let least = Number.POSITIVE_INFINITY;
  for (const folder of folders) {
    // A folder that could not even be created has no space left.
    const free = (await diskRoom(folder).catch(() => undefined))?.free ?? 0;
    if (free < least) [fullest, least] = [folder, free];
  }
  return fullest;
}
