import type { Dirent } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrorCode } from "../blobs/error-codes.ts";
import { syncFolder } from "../blobs/folders.ts";
import { ifThere } from "./if-there.ts";

/** Syncs what LanceDB has written to disk, which LanceDB leaves to the operating system. */
export interface Durability {
  /**
   * Returns when every file of the table, and every name of one, that was there before the call is on disk. A table that
   * has been removed is gone for good then.
   */
  persist(table: string): Promise<void>;
}

/** Files that are synced at the same time. */
const syncedAtOnce = 8;

/** For tables that are folders in `root`, by the names of these folders. */
export function createDurability(root: string): Durability {
  const synced = new Map<string, ReadonlyMap<string, string>>();
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  let isRootNamed = false;

  async function sync(table: string): Promise<void> {
    const folder = join(root, table);
    const known = synced.get(table) ?? new Map<string, string>();
    const now = await listTable(folder);
    const isNew = ([path, identity]: readonly [string, string]): boolean => known.get(path) !== identity;
    const fresh = [...now].filter(isNew).map(([path]) => path);
    // A manifest is synced after all files that it names, so that a power cut leaves no version without its files.
    for (const paths of [fresh.filter((path) => !isManifest(path)), fresh.filter(isManifest)]) {
      await syncFiles(paths);
      for (const path of foldersOf(paths, folder)) await ifThere(() => syncFolder(path));
    }
    const gone = [...known.keys()].filter((path) => !now.has(path));
    for (const path of foldersOf(gone, folder)) await ifThere(() => syncFolder(path));
    if (fresh.length > 0 || now.size === 0) {
      await ifThere(() => syncFolder(folder));
      await syncFolder(root);
    }
    if (!isRootNamed) await syncFolder(dirname(root));
    isRootNamed = true;
    if (now.size === 0) synced.delete(table);
    else synced.set(table, now);
  }

  return {
    persist(table) {
      // One that has not begun yet sees what this caller has written.
      const next = waiting.get(table);
      if (next !== undefined) return next;
      const after = running.get(table) ?? Promise.resolve();
      const persisting = after
        .catch(() => undefined)
        .then(() => {
          waiting.delete(table);
          running.set(table, persisting);
          return sync(table);
        });
      waiting.set(table, persisting);
      return persisting;
    },
  };
}

const isManifest = (path: string): boolean => dirname(path).endsWith("_versions");

/** The table's files, with what tells a file from another one of the same name. None if the table is gone. */
async function listTable(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await listFolder(folder);
  const files = new Map<string, string>();
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    // What is still being written gets its name when it is whole.
    if (!entry.isFile() || entry.name.startsWith(".tmp") || entry.name.includes("#")) continue;
    // Names are made of random numbers and never used again, but for those in `_versions`.
    const identity = isManifest(path) ? await ifThere(() => identify(path)) : "";
    if (identity !== undefined) files.set(path, identity);
  }
  return files;
}

async function listFolder(folder: string): Promise<readonly Dirent[]> {
  for (;;) {
    try {
      return await readdir(folder, { recursive: true, withFileTypes: true });
    } catch (cause) {
      if (!hasErrorCode(cause, "ENOENT")) throw cause;
      // A folder in it may have been removed while it was listed.
      if ((await ifThere(() => stat(folder))) === undefined) return [];
    }
  }
}

async function identify(path: string): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path);
  return `${ino} ${size} ${mtimeMs}`;
}

async function syncFiles(paths: readonly string[]): Promise<void> {
  const left = paths.values();
  const syncNext = async (): Promise<void> => {
    for (const path of left) await ifThere(() => syncFile(path));
  };
  await Promise.all(Array.from({ length: syncedAtOnce }, syncNext));
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The folders of the files and those above them beneath `top`, the deepest first. */
function foldersOf(paths: readonly string[], top: string): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = dirname(path); at.length > top.length; at = dirname(at)) folders.add(at);
  }
  return [...folders].sort((one, other) => other.length - one.length);
}
