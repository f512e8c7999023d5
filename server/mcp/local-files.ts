import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open, readlink, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { clip } from "./budget.ts";
import { UserError } from "./failures.ts";

/** The files of this machine that a model may upload. */
export interface LocalFiles {
  /** The folders that contain them, as given. */
  readonly roots: readonly string[];
  /**
   * Opens a file below one of the roots; relative paths begin at the first one. Throws `UserError` for all other
   * files, also where links lead out, and for anything but a regular file. The caller closes it.
   */
  open(path: string): Promise<OpenFile>;
}

export interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
}

export function createLocalFiles(roots: readonly string[]): LocalFiles {
  const named = roots.map((root) => resolve(root));
  const outside = (): UserError =>
    new UserError(
      `this path is not below a folder that drs may read: ${named.join(", ")}; others are named with --root`,
    );
  return {
    roots: named,
    async open(path) {
      const [first] = named;
      if (first === undefined) throw new UserError("no folder is named that files may be read from: add --root FOLDER");
      if (path.includes("\0")) throw new UserError("a path has no character of number 0");
      const requested = resolve(first, path);
      const real = await Promise.all(named.map((root) => realpath(root).catch(() => root)));
      // Nothing is revealed about other files, not even whether they exist.
      if (![...named, ...real].some((root) => isBelow(root, requested))) throw outside();
      const found = await realpath(requested).catch(() => undefined);
      // A missing file is judged by the place where it would be.
      const place = found ?? (await nearest(requested));
      const isInside = real.some((root) => isBelow(root, place) || (found === undefined && root === place));
      if (!isInside) throw outside();
      if (found === undefined) throw noFile(requested);
      const handle = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => {
        throw noFile(requested);
      });
      try {
        await checkSame(handle, found);
        return { name: basename(requested), handle };
      } catch (cause) {
        await handle.close();
        throw cause;
      }
    },
  };
}

/** Links on the way may have been changed since the path was checked, so the file that was opened is checked. */
async function checkSame(handle: FileHandle, path: string): Promise<void> {
  const opened = await handle.stat();
  const place = await placeOf(handle);
  const isSame = place === undefined ? await isStill(path, opened) : place === path;
  // Nothing is revealed about another file, not even that it exists.
  if (!isSame) throw noFile(path);
  if (!opened.isFile()) throw new UserError(`${path} is not a file; documents are added one by one`);
}

/** The path of an open file according to the kernel; undefined if it gives none, as on macOS. */
const placeOf = (handle: FileHandle): Promise<string | undefined> =>
  readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);

/** Whether a path leads to that file without links. Links that are swapped between the two checks go unnoticed. */
async function isStill(path: string, opened: Pick<Stats, "ino" | "dev">): Promise<boolean> {
  const there = await lstat(path).catch(() => undefined);
  const real = await realpath(path).catch(() => undefined);
  return real === path && there?.ino === opened.ino && there.dev === opened.dev;
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The real path of the nearest existing folder that a path goes through. */
async function nearest(path: string): Promise<string> {
  const above = dirname(path);
  return realpath(above).catch(() => (above === path ? path : nearest(above)));
}

function noFile(path: string): UserError {
  return new UserError(`there is no file ${clip(path, 300)} that can be read`);
}
