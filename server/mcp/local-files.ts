import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { clip } from "./budget.ts";
import { Refused } from "./failures.ts";

/** The files of this machine that a model may have uploaded. */
export interface LocalFiles {
  /** The folders below which they are, as they were named. */
  readonly roots: readonly string[];
  /**
   * Opens a file below one of the roots; relative paths begin at the first one. Throws `Refused` for all others, also
   * where links lead out, and for what is no file. The caller closes it.
   */
  open(path: string): Promise<OpenFile>;
}

export interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
}

export function createLocalFiles(roots: readonly string[]): LocalFiles {
  const named = roots.map((root) => resolve(root));
  const outside = (): Refused =>
    new Refused(`this path is not below a folder that drs may read: ${named.join(", ")}; others are named with --root`);
  return {
    roots: named,
    async open(path) {
      const [first] = named;
      if (first === undefined) throw new Refused("no folder is named that files may be read from: add --root FOLDER");
      if (path.includes("\0")) throw new Refused("a path has no character of number 0");
      const wanted = resolve(first, path);
      const real = await Promise.all(named.map((root) => realpath(root).catch(() => root)));
      // Of what is elsewhere nothing is told, not even whether it is there.
      if (![...named, ...real].some((root) => isBelow(root, wanted))) throw outside();
      const found = await realpath(wanted).catch(() => undefined);
      // What is not there counts as where it would be.
      const place = found ?? (await nearest(wanted));
      const isInside = real.some((root) => isBelow(root, place) || (found === undefined && root === place));
      if (!isInside) throw outside();
      if (found === undefined) throw noFile(wanted);
      const handle = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
        throw noFile(wanted);
      });
      try {
        await checkSame(handle, found);
        return { name: basename(wanted), handle };
      } catch (cause) {
        await handle.close();
        throw cause;
      }
    },
  };
}

/** Links on the way may have been changed since the path was looked at: what counts is the file that has been opened. */
async function checkSame(handle: FileHandle, path: string): Promise<void> {
  const opened = await handle.stat();
  const place = await placeOf(handle);
  const isSame = place === undefined ? await isStill(path, opened) : place === path;
  // Of another file nothing is told, not even that it is there.
  if (!isSame) throw noFile(path);
  if (!opened.isFile()) throw new Refused(`${path} is no file; documents are added one by one`);
}

/** Where an open file is, by the kernel's own word; undefined where it gives none, as on macOS. */
const placeOf = (handle: FileHandle): Promise<string | undefined> =>
  readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);

/** Whether a path leads to that file without links. Who swaps links between the two looks is not noticed. */
async function isStill(path: string, opened: Pick<Stats, "ino" | "dev">): Promise<boolean> {
  const there = await lstat(path).catch(() => undefined);
  const real = await realpath(path).catch(() => undefined);
  return real === path && there?.ino === opened.ino && there.dev === opened.dev;
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where the nearest folder really is that a path goes through. */
async function nearest(path: string): Promise<string> {
  const above = dirname(path);
  return realpath(above).catch(() => (above === path ? path : nearest(above)));
}

function noFile(path: string): Refused {
  return new Refused(`there is no file ${clip(path, 300)} that can be read`);
}
