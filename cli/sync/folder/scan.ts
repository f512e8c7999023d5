import type { Dirent } from "node:fs";
import { opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrent } from "../../bounded.ts";
import { CliError } from "../../failures.ts";
import { isHidden, isShutOut, isWanted, type Patterns } from "../../upload/sources/patterns.ts";
import type { FileFacts } from "../state/record.ts";

/** The contents of a folder. Paths are relative to it, with slashes. */
export interface Scan {
  readonly files: ReadonlyMap<string, FileFacts>;
  /** Files and folders that could not be read. */
  readonly unread: ReadonlyMap<string, unknown>;
  /** Every folder that was entered; the synced folder itself is "". */
  readonly folders: readonly string[];
  /** Number of files that were found and are not wanted. */
  readonly leftOut: number;
}

/** The chain of parent folders, by their file system ids: following a link back to one of them would never end. */
interface Way {
  readonly id: string;
  readonly before: Way | undefined;
}

interface Ahead {
  readonly path: string;
  readonly before: Way | undefined;
}

const statsAtOnce = 16;
/** File names are bytes; those that are not UTF-8 are decoded with this character and cannot be opened. */
const replacement = "\uFFFD";

/**
 * Reads a folder and its subfolders. Links are followed, except back to a folder that contains them. Throws a
 * `CliError` if the folder itself cannot be read; unreadable entries below it are reported as `unread`.
 */
export async function scanFolder(root: string, patterns: Patterns, signal: AbortSignal): Promise<Scan> {
  const files = new Map<string, FileFacts>();
  const unread = new Map<string, unknown>();
  const folders: string[] = [];
  let leftOut = 0;
  const ahead: Ahead[] = [{ path: "", before: undefined }];

  const look = async (path: string, entry: Dirent, way: Way): Promise<void> => {
    signal.throwIfAborted();
    if (entry.isDirectory()) {
      if (!isShutOut(path, patterns)) ahead.push({ path, before: way });
      return;
    }
    const wanted = isWanted(path, patterns);
    // Most unwanted files need no further look.
    if (!wanted && !entry.isSymbolicLink()) {
      leftOut += 1;
      return;
    }
    try {
      const found = await stat(join(root, path));
      if (found.isDirectory()) {
        if (!isShutOut(path, patterns)) ahead.push({ path, before: way });
      } else if (wanted && found.isFile())
        files.set(path, { size: found.size, modifiedAt: found.mtimeMs, changedAt: found.ctimeMs });
      else leftOut += 1;
    } catch (cause) {
      // A broken link says nothing about its target: its documents may be missing only for now.
      if (wanted || entry.isSymbolicLink()) unread.set(path, path.includes(replacement) ? undecodable(path) : cause);
    }
  };

  for (let folder = ahead.pop(); folder !== undefined; folder = ahead.pop()) {
    const { path, before } = folder;
    try {
      const { dev, ino } = await stat(join(root, path), { bigint: true });
      const way: Way = { id: `${dev}:${ino}`, before };
      if (isOnWay(before, way.id)) continue;
      const entries: Dirent[] = [];
      for await (const entry of await opendir(join(root, path), { bufferSize: 256 })) {
        signal.throwIfAborted();
        if (!isHidden(entry.name)) entries.push(entry);
      }
      folders.push(path);
      await mapConcurrent(entries, statsAtOnce, (entry) =>
        look(path === "" ? entry.name : `${path}/${entry.name}`, entry, way),
      );
    } catch (cause) {
      signal.throwIfAborted();
      if (path === "") throw cause;
      unread.set(path, path.includes(replacement) ? undecodable(path) : cause);
    }
  }
  return { files, unread, folders, leftOut };
}

/**
 * Returns whether nothing is known about the file at a path, because it or a parent folder could not be read or is
 * excluded. Such files do not count as removed.
 */
export function isUnseen(path: string, unread: ReadonlyMap<string, unknown>, patterns: Patterns): boolean {
  if (!isWanted(path, patterns)) return true;
  for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
    const part = path.slice(0, end);
    if (unread.has(part)) return true;
    if (end < path.length && isShutOut(part, patterns)) return true;
  }
  return false;
}

function isOnWay(way: Way | undefined, id: string): boolean {
  for (let at = way; at !== undefined; at = at.before) if (at.id === id) return true;
  return false;
}

function undecodable(path: string): CliError {
  return new CliError(`${path}: its name is not UTF-8`, { next: "rename it" });
}
