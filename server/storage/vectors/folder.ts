import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../blobs/folders.ts";
import { folderMode } from "../private-folder.ts";
import { ifThere } from "./if-there.ts";
import { withMakeLock } from "./locks.ts";
import { glanceAtTable, identifyTable } from "./soundness.ts";
import type { Place } from "./tables.ts";

/** Prefix of a table while its files are being removed: half of one must not be taken for a damaged table. */
const removedPrefix = ".removed-";

export const folderNameOf = (table: string): string => `${table}.lance`;

/** Tables that are folders in `root`. */
export function createFolderPlace(root: string): Place {
  return {
    identify: (name) => identifyTable(join(root, folderNameOf(name))),
    glance: (name) => glanceAtTable(join(root, folderNameOf(name))),
    listsLost: false,
    isFar: false,
    async making(_, make) {
      // The whole folder may have been lost.
      await mkdir(root, { recursive: true, mode: folderMode });
      return withMakeLock(root, make);
    },

    async remove(_, name) {
      await unmarkTable(root, name);
      const removed = join(root, `${removedPrefix}${randomUUID()}`);
      await ifThere(() => rename(join(root, folderNameOf(name)), removed));
      await syncFolder(root);
      await rm(removed, { recursive: true, force: true });
    },
  };
}

/** An empty file for each table that has been written to, which tells when its folder is lost. */
const marksIn = (root: string): string => join(root, ".tables");

/** Durable. */
export async function markTable(root: string, name: string): Promise<void> {
  await mkdir(marksIn(root), { recursive: true });
  await (await open(join(marksIn(root), name), "a")).close();
  await syncFolder(marksIn(root));
  await syncFolder(root);
}

export async function unmarkTable(root: string, name: string): Promise<void> {
  await rm(join(marksIn(root), name), { force: true });
  await ifThere(() => syncFolder(marksIn(root)));
}

export const isMarked = async (root: string, name: string): Promise<boolean> =>
  (await ifThere(() => stat(join(marksIn(root), name)))) !== undefined;

/** The tables that should be there. */
export const listMarked = async (root: string): Promise<readonly string[]> =>
  (await ifThere(() => readdir(marksIn(root)))) ?? [];

/** LanceDB keeps tags in files of their own, of which drs has none but for a moment. */
export const removeTags = (root: string, name: string): Promise<void> =>
  rm(join(root, folderNameOf(name), "_refs"), { recursive: true, force: true });

/** Removes what is left of tables whose removal was cut off. */
export async function finishRemovals(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (name.startsWith(removedPrefix)) await rm(join(root, name), { recursive: true, force: true });
  }
}
