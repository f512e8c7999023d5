import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "../error-codes.ts";
import { folderMode } from "../private-folder.ts";

/**
 * LanceDB does not sync its files, so after a power cut any of its writes may be missing. A table that was written to
 * is therefore trusted only until the machine stops, or once all of its files have been synced.
 */

/**
 * Identifies this boot of the machine, by the boot id of Linux. On other systems, a process trusts only its own writes.
 */
export const runOfMachine: string = readRun();

function readRun(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}

/**
 * Throws if the folder cannot be written to, for example because the disk is full or too many files are open. Creates
 * the folder if it has been removed.
 */
export async function tryToWrite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const path = join(folder, `.try-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(4_096), { flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

/** Syncs the folder and everything in it. */
export async function putOnDisk(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await putOnDisk(path);
    else await sync(path);
  }
  await sync(folder);
}

async function sync(path: string): Promise<void> {
  const file = await ifThere(open(path));
  // Another process has compacted the file into another one.
  if (file === undefined) return;
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
