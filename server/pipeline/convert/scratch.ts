import { mkdir, mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../../domain/processes.ts";

/** A folder for temporary files of conversions. It is removed on close, or by a later process if this one was killed. */
export interface Scratch {
  readonly path: string;
  /** Creates an empty folder inside. */
  folder(): Promise<string>;
  remove(folder: string): Promise<void>;
  close(): Promise<void>;
}

const pattern = /^drs-convert-(\d+)-/;
/** Scratch folders of this process, to distinguish them from those of an earlier process with the same id, as in containers. */
const own = new Set<string>();

/** Opens a scratch folder, and removes the folders of processes that have ended. */
export async function openScratch(parent: string = tmpdir()): Promise<Scratch> {
  await mkdir(parent, { recursive: true });
  const base = await realpath(parent);
  await sweepScratch(base);
  const path = await mkdtemp(join(base, `drs-convert-${process.pid}-`));
  own.add(path);
  const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return {
    path,
    folder: () => mkdtemp(join(path, "job-")),
    remove,
    async close() {
      await remove(path);
      own.delete(path);
    },
  };
}

/** Removes the scratch folders of processes that have ended. */
async function sweepScratch(base: string): Promise<void> {
  for (const name of await readdir(base)) {
    const pid = Number(pattern.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || own.has(join(base, name))) continue;
    // A folder of another user cannot be removed, which must not prevent the start.
    if (pid === process.pid || !isAlive(pid)) {
      await rm(join(base, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/**
 * Gives this process, which must belong to drs, a temporary folder that only its user can read. Files that native code leaves
 * there (LanceDB sorts words of documents in it) are removed on close, or by the next start after a kill.
 */
export async function openOwnTemporaryFolder(): Promise<{ close(): Promise<void> }> {
  const scratch = await openScratch();
  process.env["TMPDIR"] = scratch.path;
  return { close: () => scratch.close() };
}
