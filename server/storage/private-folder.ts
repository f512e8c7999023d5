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

/** Modes of folders and files that only their owner may enter, read or change. */
export const folderMode = 0o700;
export const fileMode = 0o600;

/** What is secret in a data folder, and what holds documents; below these folders only their owner gets anyway. */
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
/** What else may be in a folder that is a data folder and nothing else. */
const harmlessNames = ["models", "lost+found", "unfinished.json"];

/** Windows has other permissions than these. */
const hasModes = process.platform !== "win32";

/** What others on the machine may do with a data folder or something in it. */
export interface Exposure {
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  /** User id. */
  readonly owner: number;
  /** Why drs does not change that; undefined: it does. */
  readonly obstacle: string | undefined;
}

/** What was done about it, in words for the log. */
export interface Notice {
  readonly level: "info" | "warn";
  readonly message: string;
}

/** What in a data folder other users than that of this process may use, or own. */
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

/** Removes the permissions of other users on a data folder, if it is this user's and nothing but a data folder. */
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
 * Makes an empty file for its owner alone where there is none: libraries would make one that others may read. One that is
 * there is not opened: closing it would end the locks that SQLite holds on it in this process.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", fileMode));
  } catch (cause) {
    if (!hasErrorCode(cause, "EEXIST")) throw cause;
  }
}

export const modeText = (mode: number): string => mode.toString(8);

/** Why the modes of a folder are not to be changed, although it is this user's. */
function isUnfit(dataDir: string, { mode }: Stats): string | undefined {
  const path = resolve(dataDir);
  if ((mode & 0o1000) !== 0) return "it is a place that users share";
  if (path === homedir() || path === dirname(path)) return "it holds more than the data of drs";
  const names = new Set([...secretNames, ...harmlessNames]);
  const entries = readdirSync(dataDir);
  const isOurs = entries.includes("metadata.sqlite") || entries.every((name) => names.has(name));
  return isOurs ? undefined : "it holds more than the data of drs";
}

/** Why it was not possible; undefined: done. */
function tighten(path: string, mode: number): string | undefined {
  try {
    chmodSync(path, mode & folderMode);
    return undefined;
  } catch (cause) {
    // Another process has removed it meanwhile.
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    return `its mode cannot be changed (${cause instanceof Error ? cause.message : String(cause)})`;
  }
}

/** Of files and folders; links are not followed, since their targets may be anywhere. */
function statsOf(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true || stats?.isDirectory() === true ? stats : undefined;
}

/**
 * Makes a data folder where there is none, for its owner only. Throws `invalid` for a path that is something else. Node's own
 * recursive mkdir never returns where a folder is there and cannot have others in it, such as /proc.
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
    // Another process was faster.
    if (!hasErrorCode(cause, "EEXIST")) throw cause;
  }
}
