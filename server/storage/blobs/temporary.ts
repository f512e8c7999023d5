import { randomUUID } from "node:crypto";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "../../domain/processes.ts";
import { ifThere } from "../error-codes.ts";

/** Distinguishes this process from an earlier one with the same process id, which is common in containers. */
const instance = randomUUID().slice(0, 8);

/**
 * Age at which a file is abandoned although its process seems to be alive: no upload takes a day, so an earlier process
 * with the same id wrote it.
 */
const dayMs = 24 * 60 * 60 * 1000;

let count = 0;

/** Returns a file name that identifies the writing process: its process id, its instance and a counter. */
export function temporaryName(): string {
  count += 1;
  return `${process.pid}-${instance}-${count}`;
}

/** Removes the files that dead processes have left in the folder. */
export async function sweepTemporary(folder: string, { abandonedAfterMs = dayMs } = {}): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (await isAbandoned(path, name, abandonedAfterMs)) await rm(path, { recursive: true, force: true });
  }
}

async function isAbandoned(path: string, name: string, abandonedAfterMs: number): Promise<boolean> {
  const [pid, owner] = name.split("-");
  if (Number(pid) === process.pid) return owner !== instance;
  if (!isAlive(Number(pid))) return true;
  const found = await ifThere(stat(path));
  return found !== undefined && Date.now() - found.mtimeMs > abandonedAfterMs;
}
