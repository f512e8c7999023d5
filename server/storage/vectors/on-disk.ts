import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { folderMode } from "../private-folder.ts";

/**
 * LanceDB leaves it to the system when what it writes gets onto the disk: after a power cut any of it may be missing. So a table that
 * was written to is trusted only as long as the machine runs, or once all of its files have been put on disk.
 */

/** Names this run of the machine: as Linux does; elsewhere a process is sure of what it has written itself alone. */
export const runOfMachine: string = readRun();

function readRun(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return randomUUID();
  }
}

/** Throws if nothing can be written to a folder: the disk is full, say, or no file can be opened. Makes one that has been removed. */
export async function tryToWrite(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: folderMode });
  const path = join(folder, `.try-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(4_096), { flush: true });
  } finally {
    await rm(path, { force: true });
  }
}

/** Puts all files of a folder on disk, and that they are there. */
export async function putOnDisk(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await putOnDisk(path);
    else await sync(path);
  }
  await sync(folder);
}

async function sync(path: string): Promise<void> {
  let file;
  try {
    file = await open(path);
  } catch (cause) {
    // Another process has folded it into another file.
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return;
    throw cause;
  }
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
