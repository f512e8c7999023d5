import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { invalid } from "../domain/errors.ts";
import { hasErrorCode } from "./error-codes.ts";

/** Modes of folders and files to which only their owner has access. */
export const folderMode = 0o700;
export const fileMode = 0o600;

/**
 * Entries of a data folder that are secret or contain documents. Only the owner can reach anything below the folders
 * among them.
 */
const secretNames = [
  "metadata.sqlite",
  "metadata.sqlite-wal",
  "metadata.sqlite-shm",
  "credentials.json",
  "server.json",
  "server.lock",
  "guests.lock",
  "drs.log",
  "reserve",
  "blobs",
  "local-cache",
  "vectors",
];
/** Other entries that may be in a folder that is only a data folder. */
const harmlessNames = ["models", "lost+found", "unfinished.json"];

/** Windows does not have these permissions. */
const hasModes = process.platform !== "win32";

/** A data folder, or an entry of it, to which other users of the machine have access. */
export interface Exposure {
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** User id. */
  readonly owner: number;
  /** Why drs does not remove this access; undefined if it does. */
  readonly obstacle: string | undefined;
}

/** A log message about an exposure and what was done about it. */
export interface Notice {
  readonly level: "info" | "warn";
  readonly message: string;
}

/**
 * Finds the entries of a data folder that belong to other users than that of this process, or to which they have
 * access.
 */
export function exposuresOf(dataDir: string): readonly Exposure[] {
  const folder = hasModes ? statsOf(dataDir) : undefined;
  if (folder === undefined) return [];
  const self = process.geteuid?.();
  const unfit = isUnfit(dataDir, folder);
  return [dataDir, ...secretNames.map((name) => join(dataDir, name))].flatMap((path): readonly Exposure[] => {
    const stats = statsOf(path);
    if (stats === undefined) return [];
    const [mode, owner] = [stats.mode & 0o7777, stats.uid];
    const isForeign = self !== undefined && owner !== self;
    if (!isForeign && (mode & 0o077) === 0) return [];
    if (isForeign) return [{ path, mode, owner, obstacle: `it belongs to another user (${owner})` }];
    return [{ path, mode, owner, obstacle: path === dataDir ? unfit : undefined }];
  });
}

/**
 * Removes the permissions of other users on a data folder, if the folder belongs to this user and contains nothing but
 * the data of drs.
 */
export function closeToOthers(dataDir: string): readonly Notice[] {
  const tightened: string[] = [];
  const left: string[] = [];
  for (const { path, mode, obstacle } of exposuresOf(dataDir)) {
    const reason = obstacle ?? tighten(path, mode);
    const shown = `${path} (mode ${modeText(mode)})`;
    if (reason === undefined) tightened.push(shown);
    else left.push(`${shown}: ${reason}`);
  }
  return [
    ...(tightened.length === 0
      ? []
      : [{ level: "info" as const, message: `others may not get at this any more: ${tightened.join(", ")}` }]),
    ...left.map((what) => ({
      level: "warn" as const,
      message: `others on this machine may get at documents and keys in ${what}; give drs a folder of its own that only its user may enter`,
    })),
  ];
}

/**
 * Creates an empty file to which only its owner has access, unless the file exists: a library would create one that
 * others may read. An existing file is not opened, because closing it would end the locks that SQLite holds on it in
 * this process.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", fileMode));
  } catch (cause) {
    if (!hasErrorCode(cause, "EEXIST")) throw cause;
  }
}

export const modeText = (mode: number): string => mode.toString(8);

/** Returns why the mode of a folder of this user must not be changed; undefined if it may be. */
function isUnfit(dataDir: string, { mode }: Stats): string | undefined {
  const path = resolve(dataDir);
  if ((mode & 0o1000) !== 0) return "it is a place that users share";
  if (path === homedir() || path === dirname(path)) return "it holds more than the data of drs";
  const names = new Set([...secretNames, ...harmlessNames]);
  const entries = readdirSync(dataDir);
  const isOurs = entries.includes("metadata.sqlite") || entries.every((name) => names.has(name));
  return isOurs ? undefined : "it holds more than the data of drs";
}

/** Changes the mode. Returns why this failed; undefined if it succeeded. */
function tighten(path: string, mode: number): string | undefined {
  try {
    chmodSync(path, mode & folderMode);
    return undefined;
  } catch (cause) {
    // Another process has removed it in the meantime.
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    return `its mode cannot be changed (${cause instanceof Error ? cause.message : String(cause)})`;
  }
}

/** Returns the stats of a file or a folder. Links are not followed, because their targets may be anywhere. */
function statsOf(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true || stats?.isDirectory() === true ? stats : undefined;
}

/**
 * Creates a data folder to which only its owner has access, unless the folder exists. Throws `invalid` if the path is
 * something else. Node's own recursive mkdir is not used: it never returns below an existing folder that cannot have
 * subfolders, such as /proc.
 */
export function makeDataFolder(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === false) throw invalid(`${path} is not a folder, and a data folder is one`);
  if (found !== undefined) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeDataFolder(parent);
  try {
    mkdirSync(path, { mode: folderMode });
  } catch (cause) {
    // Another process has created it first.
    if (!hasErrorCode(cause, "EEXIST")) throw cause;
  }
}
