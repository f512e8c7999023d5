import { mkdir, open, readdir, rename, rm, rmdir, stat, type FileHandle } from "node:fs/promises";
import { dirname, join, resolve, relative, sep } from "node:path";
import type { BlobStore, ByteRange, OpenBlob, StoredBlob } from "../../domain/ports/blobs.ts";
import { roomForDocuments } from "../disk.ts";
import { hasErrorCode, ifThere } from "../error-codes.ts";
import { segmentsOf, temporaryFolder } from "./keys.ts";
import { syncFolder, writeFileDurably } from "./write.ts";
import { MissingSource, readSources } from "./sources.ts";
import { sweepTemporary, temporaryName } from "./temporary.ts";
import { folderMode } from "../private-folder.ts";

/** Bytes per read. Each blob that is being served takes one buffer of this size, even if the client reads nothing. */
const chunkBytes = 64 * 1024;

/** How often a put repeats its rename after a concurrent remove has pruned the folder. */
const maxRenames = 10;

export interface FolderBlobOptions {
  /** Whether to remove unfinished files of processes of this machine that have died. */
  readonly sweepTemporary?: boolean;
}

/** Opens a store that keeps blobs as files: the key is the path under `root`. Several processes may use one folder. */
export async function openFolderBlobs(root: string, options: FolderBlobOptions = {}): Promise<BlobStore> {
  const base = resolve(root);
  const temporary = join(base, temporaryFolder);
  await mkdir(temporary, { recursive: true, mode: folderMode });
  if (options.sweepTemporary === true) await sweepTemporary(temporary);
  const pathOf = (key: string): string => join(base, ...segmentsOf(key));

  async function put(key: string, body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBlob> {
    const path = pathOf(key);
    const unfinished = join(temporary, temporaryName());
    try {
      const stored = await writeFileDurably(unfinished, body, signal);
      await moveInto(unfinished, path);
      return stored;
    } catch (cause) {
      await rm(unfinished, { force: true });
      throw cause;
    }
  }

  return {
    put,

    async assemble(key, sources, signal) {
      try {
        return await put(key, readSources(sources.map(pathOf)), signal);
      } catch (cause) {
        if (cause instanceof MissingSource) return undefined;
        throw cause;
      }
    },

    async stat(key) {
      const found = await ifThere(stat(pathOf(key)));
      return found?.isFile() === true ? { size: found.size } : undefined;
    },

    async get(key, range) {
      const handle = await ifThere(open(pathOf(key), "r"));
      return handle && openRange(handle, range);
    },

    async asFile(key) {
      const path = pathOf(key);
      const found = await ifThere(stat(path));
      return found?.isFile() === true ? { path, release: async () => undefined } : undefined;
    },

    async remove(key) {
      const path = pathOf(key);
      await rm(path, { force: true });
      await pruneFolders(base, dirname(path));
    },

    removePrefix: (prefix) => removePrefix(base, temporary, prefix),

    async removeAbandoned() {
      // Unfinished files are removed when the store is opened.
    },

    list: () => listBlobs(base),

    freeBytes: () => roomForDocuments(base),

    async ping() {
      const probe = join(temporary, temporaryName());
      await (await open(probe, "wx")).close();
      await rm(probe);
    },

    async close() {
      // Each reader owns its open file and closes it.
    },
  };
}

/** Renames a finished file to its path. Afterwards the file, its name and the folders created for it are durable. */
async function moveInto(unfinished: string, path: string): Promise<void> {
  const folder = dirname(path);
  for (let attempt = 1; ; attempt++) {
    try {
      // Another process may prune a parent folder during `mkdir`, or this folder before the rename.
      const made = await mkdir(folder, { recursive: true, mode: folderMode });
      await rename(unfinished, path);
      await syncFolder(folder);
      if (made !== undefined) await syncFoldersAbove(folder, dirname(made));
      return;
    } catch (cause) {
      if (!hasErrorCode(cause, "ENOENT") || attempt === maxRenames) throw cause;
    }
  }
}

/** Syncs the parents of `folder` up to `top`, because each new folder is an entry in its parent. */
async function syncFoldersAbove(folder: string, top: string): Promise<void> {
  for (let at = folder; at !== top; at = dirname(at)) await syncFolder(dirname(at));
}

async function openRange(handle: FileHandle, range: ByteRange | undefined): Promise<OpenBlob> {
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new TypeError("there is a folder where a blob should be");
    const { size } = found;
    const start = range?.start ?? 0;
    const end = Math.min(range?.end ?? size - 1, size - 1);
    if (start <= end) return { size, body: piecesOf(handle, start, end) };
    await handle.close();
    return { size, body: nothing() };
  } catch (cause) {
    await handle.close();
    throw cause;
  }
}

/** Yields the bytes from `start` to `end`, and reads them only on request. A Node stream would read ahead. */
async function* piecesOf(handle: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  try {
    for (let at = start; at <= end;) {
      const piece = Buffer.allocUnsafeSlow(Math.min(chunkBytes, end + 1 - at));
      const { bytesRead } = await handle.read(piece, 0, piece.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty blob, or a range past the end of one.
}

async function removePrefix(base: string, temporary: string, prefix: string): Promise<void> {
  for (const path of await pathsWithPrefix(base, prefix)) {
    // Moved away first, so that all files disappear at once, even if removing them takes long.
    const doomed = join(temporary, temporaryName());
    const moved = await ifThere(rename(path, doomed).then(() => true));
    if (moved === true) await rm(doomed, { recursive: true, force: true });
    await pruneFolders(base, dirname(path));
  }
}

async function* listBlobs(base: string): AsyncGenerator<{ readonly key: string; readonly size: number }> {
  for await (const path of walk(base)) {
    const found = await ifThere(stat(path));
    if (found?.isFile() === true) yield { key: relative(base, path).split(sep).join("/"), size: found.size };
  }
}

/** Returns the files and folders with keys that begin with the prefix. None of them contains another. */
async function pathsWithPrefix(base: string, prefix: string): Promise<string[]> {
  if (prefix.endsWith("/")) return [join(base, ...segmentsOf(prefix.slice(0, -1)))];
  const segments = segmentsOf(prefix);
  const last = segments.pop() ?? "";
  const folder = join(base, ...segments);
  const names = (await ifThere(readdir(folder))) ?? [];
  const matching = names.filter((name) => name.startsWith(last) && !(folder === base && name === temporaryFolder));
  return matching.map((name) => join(folder, name));
}

/** Yields the files below the folder, except unfinished ones. */
async function* walk(base: string): AsyncGenerator<string> {
  const waiting = [base];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
    for (const entry of entries) {
      if (folder === base && entry.name === temporaryFolder) continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else yield path;
    }
  }
}

/** Removes the folder and its parents, up to but not including `base`, while they are empty. */
async function pruneFolders(base: string, folder: string): Promise<void> {
  for (let at = folder; at !== base && at.startsWith(base); at = dirname(at)) {
    try {
      await rmdir(at);
    } catch (cause) {
      // ENOTEMPTY, which some systems report as EEXIST: the remaining folders are in use. ENOENT: another removal was
      // faster.
      if (hasErrorCode(cause, "ENOENT")) continue;
      if (hasErrorCode(cause, "ENOTEMPTY") || hasErrorCode(cause, "EEXIST")) return;
      throw cause;
    }
  }
}
